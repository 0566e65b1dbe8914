/*
 * test_rules - configurations parsed into steps, and the places of errors. The messages are
 * compared with PCP's by end-to-end tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "tools/pmlogrewrite/rules.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static int parse(struct rules *r, const char *text)
{
	return rules_parse(r, text, strlen(text));
}

static void test_steps(void **state)
{
	struct rules r;

	assert_int_equal(parse(&r, "Metric 29.*.* { PMID -> 31.*.5 }"), -1);
	rules_done(&r);
	assert_int_equal(parse(&r, "# x\nMETRIC 29.0.* { pmid -> 31.*.*\n type if 32 -> u64 }"), 0);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.steps[0].kind, RULE_METRIC);
	assert_true(r.steps[0].id.any_item && !r.steps[0].id.any_cluster);
	assert_int_equal(r.steps[0].line, 2);
	assert_int_equal(r.steps[1].kind, RULE_METRIC_PMID);
	assert_int_equal(r.steps[1].id.domain, 31);
	assert_int_equal(r.steps[2].kind, RULE_METRIC_TYPE);
	assert_int_equal(r.steps[2].flags, RULE_IF);
	assert_int_equal(r.steps[2].old, PM_TYPE_32);
	assert_int_equal(r.steps[2].now, PM_TYPE_U64);
	assert_int_equal(r.steps[2].line, 3);
	rules_done(&r);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		long sec, nsec;
		bool back;
	} rows[] = {
	    {"30", 30, 0, false},
	    {"-1:2:3.5", 3723, 500000000, true},
	    {"+2:0.000000001", 120, 1, false},
	    {"- 0.1234567899", 0, 123456789, true},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char text[80];
		struct rules r;

		pmsprintf(text, sizeof(text), "global { time -> %s }", rows[i].text);
		assert_int_equal(parse(&r, text), 0);
		assert_int_equal(r.steps[0].delta.tv_sec, rows[i].sec);
		assert_int_equal(r.steps[0].delta.tv_nsec, rows[i].nsec);
		assert_int_equal((r.steps[0].flags & RULE_TO_NULL) != 0, rows[i].back);
		rules_done(&r);
	}
}

static void test_strings(void **state)
{
	struct rules r;

	assert_int_equal(parse(&r, "label context \"a\" \"b\\\"c\\\\d\" { new \"n\" -1.5 }"), 0);
	assert_string_equal(r.steps[0].text, "a");
	assert_string_equal(r.steps[0].value, "\"b\\\"c\\\\d\"");
	assert_string_equal(r.steps[1].value, "-1.5");
	rules_done(&r);
	assert_int_equal(parse(&r, "global { hostname -> delete tz -> \"\" }"), 0);
	assert_string_equal(r.steps[0].text, "delete");
	assert_string_equal(r.steps[1].text, "");
	rules_done(&r);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *error;
		unsigned int line;
		size_t steps; /* before it */
	} rows[] = {
	    {"metric a { type -> 32 }\n\nfoo", "syntax error", 3, 2},
	    {"metric a {\nname ->\n}", "Expecting metric name in iname clause", 3, 1},
	    {"indom 512.1 { }", "Illegal domain field (512) for indom", 1, 0},
	    {"indom 1.1 { inst 2147483648 -> 1 }", "Illegal instance identifier (2147483648)", 1,
	     1},
	    {"global { features -> bits(1,32) }", "Bit \"32\" not in the range 0..31", 1, 0},
	    {"metric a { units -> 8,0,0,0,0,0 }", "Dimension (8) of units not in the range -8..7",
	     1, 1},
	    {"metric a { delete", "syntax error", 1, 2},
	    {"\n$", "Unexpected character '$'", 2, 0},
	    {"metric a { name -> \"b\nc\" }", "Unexpected character '\"'", 1, 1},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct rules r;

		assert_int_equal(parse(&r, rows[i].text), -1);
		assert_string_equal(r.error, rows[i].error);
		assert_int_equal(r.error_line, rows[i].line);
		assert_int_equal(r.n, rows[i].steps);
		rules_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_times),
	    cmocka_unit_test(test_strings),
	    cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
