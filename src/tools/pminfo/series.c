/*
 * series - the identifiers of the time series of metrics: hashes of their metadata.
 */
#include "tools/pminfo/pminfo.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"

/*
 * SHA-1
 */

#define BLOCK_LEN 64
#define N_WORDS   5

static uint32_t rotate(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The function and the constant of round t. */
static uint32_t mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t h[N_WORDS], const uint8_t *block)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (int t = 0; t < 16; t++)
		w[t] = get_be32(block + 4 * t);
	for (int t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (int t = 0; t < 80; t++) {
		uint32_t next = rotate(a, 5) + mix(t, b, c, d) + e + w[t];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

/* Hashes the rest of the message, a one bit, zeroes, and the length in bits: one or two blocks. */
static void add_tail(uint32_t h[N_WORDS], const uint8_t *rest, size_t rest_len, uint64_t len)
{
	uint8_t tail[2 * BLOCK_LEN] = {0};
	size_t tail_len = rest_len < BLOCK_LEN - 8 ? BLOCK_LEN : 2 * BLOCK_LEN;

	memcpy(tail, rest, rest_len);
	tail[rest_len] = 0x80;
	for (int i = 0; i < 8; i++)
		tail[tail_len - 1 - i] = (uint8_t)(len * 8 >> (8 * i));
	for (size_t i = 0; i < tail_len; i += BLOCK_LEN)
		add_block(h, tail + i);
}

void sha1_hex(const void *bytes, size_t len, char hex[SHA1_HEX_LEN])
{
	uint32_t h[N_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; len - i >= BLOCK_LEN; i += BLOCK_LEN)
		add_block(h, p + i);
	add_tail(h, p + i, len - i, len);
	for (i = 0; i < N_WORDS; i++)
		snprintf(hex + 8 * i, 9, "%08x", h[i]);
}

/*
 * An identifier is the SHA-1 of a JSON text (docs/spec/tools.md 2). Optional labels are not part of
 * the identifiers of sources and metrics, because they describe the observer. They are part of
 * those of instances, since other programs compute these identifiers with them.
 */

/* Labels, and names of unlimited length around them; longer texts are cut. */
#define TEXT_LEN (PM_MAXLABELJSONLEN + 8192)

static int is_intrinsic(const pmLabel *label, const char *json, void *arg)
{
	(void)json;
	(void)arg;
	return (label->flags & PM_LABEL_OPTIONAL) == 0;
}

/* Sources without labels are distinguished by their host names. */
static void use_hostname(char *buf)
{
	char host[PM_MAX_HOSTNAMELEN];

	pmGetContextHostName_r(pmWhichContext(), host, sizeof(host));
	pmsprintf(buf, PM_MAXLABELJSONLEN, "{\"hostname\":\"%s\"}", host);
}

static void get_labels(const struct metric *m, unsigned int levels, char *buf)
{
	if (label_merge(m->pmid, m->desc.indom, levels, NULL, is_intrinsic, buf) <= 0)
		use_hostname(buf);
}

void series_of_source(const struct metric *m, char hex[SHA1_HEX_LEN])
{
	char labels[PM_MAXLABELJSONLEN], text[TEXT_LEN];

	get_labels(m, PM_LABEL_CONTEXT, labels);
	pmsprintf(text, sizeof(text), "{\"series\":\"source\",\"labels\":%s}", labels);
	sha1_hex(text, strlen(text), hex);
}

void series_of_metric(const struct metric *m, char hex[SHA1_HEX_LEN])
{
	char labels[PM_MAXLABELJSONLEN], text[TEXT_LEN];
	char type[32], sem[32], units[64];

	get_labels(m, LABEL_OF_METRIC, labels);
	pmTypeStr_r(m->desc.type, type, sizeof(type));
	pmSemStr_r(m->desc.sem, sem, sizeof(sem));
	pmUnitsStr_r(&m->desc.units, units, sizeof(units));
	pmsprintf(text, sizeof(text),
		  "{\"series\":\"metric\",\"name\":\"%s\",\"labels\":%s,"
		  "\"semantics\":\"%s\",\"type\":\"%s\",\"units\":\"%s\"}",
		  m->name, labels, sem, type, units);
	sha1_hex(text, strlen(text), hex);
}

void series_of_instance(const struct metric *m, int inst, pmLabelSet *set, char hex[SHA1_HEX_LEN])
{
	char labels[PM_MAXLABELJSONLEN], text[TEXT_LEN];
	const char *name = "DISAPPEARED";

	instance_name(m->desc.indom, inst, &name);
	if (label_merge(m->pmid, m->desc.indom, LABEL_OF_INDOM, set, NULL, labels) <= 0)
		use_hostname(labels);
	pmsprintf(text, sizeof(text), "{\"series\":\"instance\",\"name\":\"%s\",\"labels\":%s}",
		  name, labels);
	sha1_hex(text, strlen(text), hex);
}

void series_print_metric(const struct metric *m, const struct options *o)
{
	char hex[SHA1_HEX_LEN];

	(void)o;
	series_of_source(m, hex);
	printf("    Source: %s\n", hex);
	series_of_metric(m, hex);
	printf("    Series: %s\n", hex);
}

static void series_print_instance(const struct metric *m, int inst, pmLabelSet *set, void *arg)
{
	const char *name = "DISAPPEARED";
	char hex[SHA1_HEX_LEN];

	(void)arg;
	instance_name(m->desc.indom, inst, &name);
	series_of_instance(m, inst, set, hex);
	printf("    inst [%d or \"%s\"] series %s\n", inst, name, hex);
}

void series_print_instances(const struct metric *m, const struct options *o)
{
	(void)o;
	label_each_instance(m, series_print_instance, NULL);
}
