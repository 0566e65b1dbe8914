/*
 * test_ctf - the packets of an exported trace: their headers, and the packet of an event that is
 * older than the one before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/pitot/export/ctf.h"

struct packet {
	uint64_t begin, end, bits, discarded, number;
};

static char dir[64];

static void remove_trace(void)
{
	char path[128];

	for (int i = -1; i < 8; i++) {
		snprintf(path, sizeof(path), "%s/stream_%d", dir, i);
		if (i < 0)
			snprintf(path, sizeof(path), "%s/metadata", dir);
		unlink(path);
	}
	rmdir(dir);
}

static struct ctf *open_trace(void)
{
	struct ctf *c = malloc(sizeof(*c));

	snprintf(dir, sizeof(dir), "/tmp/test-ctf-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(ctf_open(c, dir), 0);
	return c;
}

static void add(struct ctf *c, int64_t ns)
{
	static const struct trace_type type = {.id = 10, .name = "x"};
	const struct trace_event e = {
	    .type = &type,
	    .info = {.posix_event_id = 10,
		     .posix_timestamp = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}},
	    .data = (const uint8_t *)"abc",
	    .length = 3};

	assert_int_equal(ctf_event(c, &e), 0);
}

static void finish(struct ctf *c)
{
	struct posix_trace_counts_np n = {0};
	struct trace_source source = {0}; /* without a log the types have no names */

	assert_int_equal(ctf_finish(c, &source, &n), 0);
	ctf_close(c);
	free(c);
}

/* Reads the headers of the packets of a file. Returns their number. */
static size_t read_packets(int file, struct packet *packets, size_t max)
{
	char path[128];
	uint32_t magic;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stream_%d", dir, file);
	f = fopen(path, "r");
	while (f != NULL && n < max && fread(&magic, 4, 1, f) == 1) {
		uint64_t head[6];

		assert_int_equal(magic, 0xC1FC1FC1u);
		assert_int_equal(fseek(f, 20, SEEK_CUR), 0);
		assert_int_equal(fread(head, sizeof(head), 1, f), 1);
		assert_int_equal(head[2], head[3]);
		packets[n++] = (struct packet){head[0], head[1], head[2], head[4], head[5]};
		assert_int_equal(fseek(f, (long)(head[2] / 8 - 72), SEEK_CUR), 0);
	}
	if (f != NULL)
		fclose(f);
	return n;
}

static void test_backwards(void **state)
{
	struct packet p[4];
	struct ctf *c = open_trace();

	add(c, 100);
	add(c, 300);
	add(c, 200); /* goes to the second file */
	add(c, 250);
	add(c, 150); /* goes to the third */
	add(c, 300);
	assert_int_equal(c->nfile, 3);
	finish(c);
	assert_int_equal(read_packets(0, p, 4), 1);
	assert_true(p[0].begin == 100 && p[0].end == 300 && p[0].discarded == 0);
	assert_int_equal(read_packets(1, p, 4), 1);
	assert_true(p[0].begin == 200 && p[0].end == 250);
	assert_int_equal(read_packets(2, p, 4), 1);
	assert_true(p[0].begin == 150 && p[0].end == 150);
	remove_trace();
}

static void test_gaps(void **state)
{
	struct packet p[8];
	struct ctf *c = open_trace();

	add(c, 100);
	assert_int_equal(ctf_gap(c, 110, 190, 5), 0);
	add(c, 200);
	assert_int_equal(ctf_gap(c, 210, 290, 0), 0); /* nothing was lost: no packet for it */
	add(c, 300);
	assert_int_equal(ctf_gap(c, 50, 60, 2), 0); /* time does not go backward */
	finish(c);
	assert_int_equal(read_packets(0, p, 8), 5);
	assert_true(p[0].begin == 100 && p[0].end == 100 && p[0].discarded == 0);
	assert_true(p[1].begin == 110 && p[1].end == 190 && p[1].discarded == 5);
	assert_true(p[2].begin == 200 && p[2].discarded == 5);
	assert_true(p[3].begin == 300 && p[3].discarded == 5);
	assert_true(p[4].begin == 300 && p[4].end == 300 && p[4].discarded == 7);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(p[i].number, i);
	remove_trace();
}

/* Readers count from the first packet: a gap at the beginning needs a packet before it. */
static void test_a_gap_at_the_beginning(void **state)
{
	struct packet p[4];
	struct ctf *c = open_trace();

	assert_int_equal(ctf_gap(c, 100, 200, 9), 0);
	finish(c);
	assert_int_equal(read_packets(0, p, 4), 2);
	assert_true(p[0].begin == 100 && p[0].end == 100 && p[0].discarded == 0);
	assert_true(p[1].begin == 100 && p[1].end == 200 && p[1].discarded == 9);
	remove_trace();
}

static void test_packets_are_bounded(void **state)
{
	struct packet p[16];
	struct ctf *c = open_trace();
	size_t n;

	for (int64_t i = 0; i < 60000; i++)
		add(c, i);
	finish(c);
	n = read_packets(0, p, 16);
	assert_in_range(n, 2, 4);
	for (size_t i = 0; i < n; i++)
		assert_in_range(p[i].bits / 8, 72, CTF_PACKET);
	assert_int_equal(p[n - 1].end, 59999);
	remove_trace();
}

/* The size never exceeds ctf_payload_max(), whatever the description. */
static void test_payloads_fit(void **state)
{
	static uint8_t data[64];
	struct trace_type type = {.id = 10, .name = "x", .nfield = POSIX_TRACE_FIELDS_MAX_NP};
	struct trace_event e = {.type = &type, .info = {.posix_event_id = 10}, .data = data};

	memset(data, 'a', sizeof(data));
	for (size_t i = 0; i < type.nfield; i++) /* all packets contain all of the data */
		type.fields[i] = (struct posix_trace_field_np){
		    "f", i % 2 ? POSIX_TRACE_FIELD_CHARS_NP : POSIX_TRACE_FIELD_BYTES_NP, 0, 0, 0};
	type.open = true;
	for (e.length = 0; e.length <= sizeof(data); e.length++) {
		size_t max = ctf_payload_max(&e);
		uint8_t *p = malloc(max);

		assert_true(ctf_payload_put(p, &e) <= p + max);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_backwards),
	    cmocka_unit_test(test_gaps),
	    cmocka_unit_test(test_a_gap_at_the_beginning),
	    cmocka_unit_test(test_packets_are_bounded),
	    cmocka_unit_test(test_payloads_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
