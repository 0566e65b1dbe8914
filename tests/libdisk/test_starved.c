/* test_starved - each allocation of the codec fails once, in turn. */
#include <errno.h>

#include "golden.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/result_record.h"
#include "starve.h"
#include "wire_test.h"

enum { FULL = 256 };

/* Into a full buffer, so that the first byte needs memory; what it holds already survives. */
static void check_out(struct buffer *out, int r)
{
	assert_int_equal(out->err, 0);
	assert_int_equal(out->len > FULL, r == 0);
	assert_int_equal(out->data[FULL - 1], 'b');
}

static int meta(const struct golden *g, struct buffer *out)
{
	struct arena mem = ARENA_INIT;
	enum meta_type type;
	union meta_body body;
	int r = meta_decode(g->pdu, g->len, &mem, &type, &body);

	if (r == 0)
		r = meta_encode(out, type, &body);
	arena_done(&mem);
	return r;
}

static int data(const struct golden *g, struct buffer *out)
{
	int version = strstr(g->name, "-v3") != NULL ? 3 : 2;
	pmHighResResult *result = NULL;
	int r = result_record_to_host(version, g->pdu, g->len, &result);

	if (r == 0)
		r = result_record_put(out, version, &result->timestamp, result->vset,
				      (uint32_t)result->numpmid);
	free(result);
	return r;
}

static int label(const struct golden *g, struct buffer *out)
{
	struct log_label got;
	int r = log_label_decode(g->pdu, g->len, &got);

	return r == 0 ? log_label_encode(out, &got) : r;
}

static int entry(const struct golden *g, struct buffer *out)
{
	int version = strstr(g->name, "-v3") != NULL ? 3 : 2;
	struct index_entry got;

	index_entry_load(g->pdu, version, &got);
	return index_entry_encode(out, version, &got);
}

static const struct {
	const char *prefix;
	int (*step)(const struct golden *g, struct buffer *out);
} steps[] = {{"RESULT", data}, {"MARK", data}, {"LOG_LABEL", label}, {"INDEX", entry}, {"", meta}};

static int faults_of(const struct golden *g, int (*step)(const struct golden *, struct buffer *))
{
	for (int faults = 0;; faults++) {
		struct buffer out = BUFFER_INIT;
		int r;

		buffer_fill(&out, 'b', FULL);
		assert_int_equal(out.cap, FULL);
		starve_left = faults;
		r = step(g, &out);
		check_out(&out, r);
		buffer_done(&out);
		if (starve_left >= 0) {
			starve_left = -1;
			assert_int_equal(r, 0);
			return faults;
		}
		if (r != -ENOMEM)
			fail_msg("%s: allocation %d: %d", g->name, faults, r);
	}
}

static void every_golden(void **state)
{
	struct golden_set golden;
	int faults = 0;

	golden_load_folder(&golden, "disk");
	for (size_t i = 0; i < golden.n; i++) {
		size_t j = 0;

		while (strncmp(golden.pdus[i].name, steps[j].prefix, strlen(steps[j].prefix)) != 0)
			j++;
		faults += faults_of(&golden.pdus[i], steps[j].step);
	}
	assert_true(faults > 40);
	golden_free(&golden);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(every_golden)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
