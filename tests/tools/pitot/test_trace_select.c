/*
 * test_trace_select - functions of `pitot trace` without side effects: sizes, counts, times,
 * selection.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/pitot/trace/select.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/trace.h"

#define SECOND INT64_C(1000000000)

/* 2026-11-22 07:40:10.5 UTC */
static const struct timespec created = {.tv_sec = 1795333210, .tv_nsec = 500000000};

static void test_times(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* 0: none */
	} cases[] = {
	    {"@12", 12 * SECOND},
	    {"@12.000000001", 12 * SECOND + 1},
	    {"@12.5", 12 * SECOND + SECOND / 2},
	    {"+1", 1795333211 * SECOND + SECOND / 2},
	    {"07:41", 1795333260 * SECOND},
	    {"07:40:11", 1795333211 * SECOND},
	    {"07:40:11.25", 1795333211 * SECOND + SECOND / 4},
	    {"2026-11-23-07:40:11", 1795419611 * SECOND},
	    {"2026-11-23T07:40:11.000000007", 1795419611 * SECOND + 7},
	    {"2026-11-23T07:40", 1795419600 * SECOND},
	    {"", 0},
	    {"noon", 0},
	    {"@", 0},
	    {"@-1", 0},
	    {"+x", 0},
	    {"07:40:11x", 0},
	    {"25:00", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_select s = {.since = cases[i].text};
		int r = trace_select_times(&s, &created);

		if (cases[i].ns == 0) {
			assert_int_equal(r, -1);
			continue;
		}
		assert_int_equal(r, 0);
		assert_int_equal(s.since_ns, cases[i].ns);
		assert_int_equal(s.until_ns, INT64_MAX);
	}
}

/* Sets the value of an option. Returns the number of errors. */
static int set(void (*function)(pmOptions *, const struct cmdline_row *, void *), const char *text,
	       void *target)
{
	static const struct cmdline_row row = {.option.long_opt = "option"};
	pmOptions opts = {.optarg = (char *)text};

	function(&opts, &row, target);
	return opts.errors;
}

static void test_wants(void **state)
{
	static const struct {
		const char *names, *pids, *since, *until;
		bool wants;
	} cases[] = {
	    {NULL, NULL, NULL, NULL, true},
	    {"net.rx", NULL, NULL, NULL, true},
	    {"net.tx", NULL, NULL, NULL, false},
	    {"a,net.*", NULL, NULL, NULL, true},
	    {"net.?x", "7", NULL, NULL, true},
	    {NULL, "8,9", NULL, NULL, false},
	    {NULL, "8,7", NULL, NULL, true},
	    {NULL, NULL, "@100", NULL, true},
	    {NULL, NULL, "@100.000000001", NULL, false},
	    {NULL, NULL, NULL, "@100", false},
	    {NULL, NULL, "@99", "@101", true},
	};
	static const struct trace_type type = {.name = "net.rx"};
	const struct trace_event e = {.type = &type,
				      .info = {.posix_pid = 7, .posix_timestamp = {.tv_sec = 100}}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_select s = {.since = cases[i].since, .until = cases[i].until};

		if (cases[i].names != NULL)
			assert_int_equal(set(trace_set_names, cases[i].names, &s.names), 0);
		if (cases[i].pids != NULL)
			assert_int_equal(set(trace_set_pids, cases[i].pids, &s.pids), 0);
		assert_int_equal(trace_select_times(&s, &created), 0);
		assert_int_equal(trace_select_wants(&s, &e), cases[i].wants);
		trace_select_done(&s);
	}
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		int64_t size; /* -1: none */
	} cases[] = {
	    {"0", 0},
	    {"17", 17},
	    {"1k", 1024},
	    {"3M", 3 << 20},
	    {"2G", INT64_C(2) << 30},
	    {"", -1},
	    {"k", -1},
	    {"1kk", -1},
	    {"-1", -1},
	    {"1.5M", -1},
	    {"1T", -1},
	    {"x", -1},
	    {" 1", -1},
	    {"99999999999999999999", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t size = 5;

		assert_int_equal(set(trace_set_size, cases[i].text, &size), cases[i].size < 0);
		assert_int_equal(size, cases[i].size < 0 ? 5 : cases[i].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_wants),
	    cmocka_unit_test(test_sizes),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
