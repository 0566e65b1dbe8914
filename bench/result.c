/*
 * result - nanoseconds per value through the codec of results (docs/performance.md B, C).
 *
 * Two shapes: one metric with 10,000 instances, and 1,000 singular metrics; values in place and
 * 64-bit ones in blocks. Each figure is the best of several rounds of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libwire/result.h"

enum {
	ROUNDS = 15,
	REPEAT = 40,
	BLOCK_LEN = 12,
};

struct shape {
	const char *name;
	size_t sets, values; /* values of each set */
	int valfmt;
};

struct sample {
	const struct shape *shape;
	pmValueSet **host; /* one allocation per set, one for all blocks */
	uint8_t *blocks;
	struct result_source *host_sources;
	struct result_source *wire_sources;
	struct buffer pdu; /* the encoded result, from which wire_sources borrow */
	struct arena mem;
	union pdu_body body;
	struct buffer out;
};

static void *need(void *p)
{
	if (p == NULL) {
		perror("malloc");
		exit(1);
	}
	return p;
}

static pmValueBlock *make_block(uint8_t *at, uint64_t v)
{
	uint32_t word = (uint32_t)PM_TYPE_U64 << 24 | BLOCK_LEN;

	memcpy(at, &word, sizeof(word));
	memcpy(at + sizeof(word), &v, sizeof(v));
	return (pmValueBlock *)(void *)at;
}

static pmValueSet *make_set(const struct sample *s, size_t i)
{
	size_t n = s->shape->values;
	pmValueSet *set = need(malloc(sizeof(*set) + n * sizeof(pmValue)));

	set->pmid = (pmID)(0x3e800000 + i);
	set->numval = (int)n;
	set->valfmt = s->shape->valfmt;
	for (size_t j = 0; j < n; j++) {
		size_t k = i * n + j;

		set->vlist[j].inst = (int)j;
		if (set->valfmt == PM_VAL_INSITU)
			set->vlist[j].value.lval = (int)k;
		else
			set->vlist[j].value.pval = make_block(s->blocks + k * BLOCK_LEN, k * 977);
	}
	return set;
}

static void run_host_to_wire(struct sample *s)
{
	buffer_reset(&s->out);
	result_encode(&s->out, PDU_HIGHRES_RESULT, 0, 1, 2, s->host_sources, s->shape->sets);
}

static void run_relay(struct sample *s)
{
	buffer_reset(&s->out);
	result_encode(&s->out, PDU_HIGHRES_RESULT, 0, 1, 2, s->wire_sources, s->shape->sets);
}

static void run_decode(struct sample *s)
{
	union pdu_body body;

	arena_reset(&s->mem);
	pdu_decode(s->pdu.data, s->pdu.len, &s->mem, &body);
}

static void run_to_host(struct sample *s)
{
	pmHighResResult *result = NULL;

	if (result_to_host(&s->body.result, true, &result) == 0)
		free(result);
}

static void sample_init(struct sample *s, const struct shape *shape)
{
	size_t sets = shape->sets;

	*s = (struct sample){.shape = shape};
	s->blocks = need(malloc(sets * shape->values * BLOCK_LEN));
	s->host = need(calloc(sets, sizeof(*s->host)));
	s->host_sources = need(calloc(sets, sizeof(*s->host_sources)));
	s->wire_sources = need(calloc(sets, sizeof(*s->wire_sources)));
	for (size_t i = 0; i < sets; i++) {
		s->host[i] = make_set(s, i);
		s->host_sources[i].kind = RESULT_HOST;
		s->host_sources[i].pmid = s->host[i]->pmid;
		s->host_sources[i].host = s->host[i];
	}
	result_encode(&s->pdu, PDU_HIGHRES_RESULT, 0, 1, 2, s->host_sources, sets);
	if (pdu_decode(s->pdu.data, s->pdu.len, &s->mem, &s->body) < 0)
		exit(1);
	/* run_decode resets the arena that the sources use: it is measured last. */
	for (size_t i = 0; i < sets; i++) {
		s->wire_sources[i].kind = RESULT_WIRE;
		s->wire_sources[i].pmid = s->host[i]->pmid;
		s->wire_sources[i].wire = &s->body.result.vsets[i];
	}
}

static void sample_done(struct sample *s)
{
	for (size_t i = 0; i < s->shape->sets; i++)
		free(s->host[i]);
	free(s->host);
	free(s->blocks);
	free(s->host_sources);
	free(s->wire_sources);
	buffer_done(&s->pdu);
	buffer_done(&s->out);
	arena_done(&s->mem);
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double best_ns(struct sample *s, void (*run)(struct sample *))
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double start = cpu_ns(), ns;

		for (int i = 0; i < REPEAT; i++)
			run(s);
		ns = (cpu_ns() - start) / REPEAT / (double)(s->shape->sets * s->shape->values);
		if (round == 0 || ns < best)
			best = ns;
	}
	return best;
}

int main(void)
{
	static const struct shape shapes[] = {
	    {"1 metric, 10,000 instances, 32 bits", 1, 10000, PM_VAL_INSITU},
	    {"1 metric, 10,000 instances, 64 bits", 1, 10000, PM_VAL_DPTR},
	    {"1,000 metrics, 32 bits", 1000, 1, PM_VAL_INSITU},
	    {"1,000 metrics, 64 bits", 1000, 1, PM_VAL_DPTR},
	};

	printf("%-38s %12s %8s %8s %8s\n", "ns a value", "host>wire", "relay", "to host", "decode");
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct sample s;

		sample_init(&s, &shapes[i]);
		printf("%-38s %12.2f", shapes[i].name, best_ns(&s, run_host_to_wire));
		printf(" %8.2f", best_ns(&s, run_relay));
		printf(" %8.2f", best_ns(&s, run_to_host));
		printf(" %8.2f\n", best_ns(&s, run_decode));
		sample_done(&s);
	}
	return 0;
}
