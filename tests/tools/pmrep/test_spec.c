/* test_spec - metrics and their properties, and the patterns of instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "tools/pmrep/filter.h"
#include "tools/pmrep/settings.h"
#include "tools/pmrep/spec.h"

static void test_compact_form(void **state)
{
	struct specs specs = {0};
	const struct spec *s;

	assert_int_equal(
	    specs_add_argument(&specs, "a.b,label,\"'1 x','2,y'\",MB / s,raw,9,2,-5,more"), 0);
	assert_int_equal(specs_add_argument(&specs, "c"), 1);
	assert_int_equal(specs_add_argument(&specs, "d,,, KB ,,7"), 2);
	s = &specs.list[0];
	assert_string_equal(s->name, "a.b");
	assert_string_equal(s->label, "label");
	assert_string_equal(s->instances, "'1 x','2,y'");
	assert_string_equal(s->unit, "MB / s");
	assert_true(s->raw);
	assert_int_equal(s->width, 9);
	assert_int_equal(s->precision, 2);
	assert_int_equal(s->limit, -5);
	assert_null(specs.list[1].label);
	assert_int_equal(specs.list[1].width, SETTINGS_UNSET);
	assert_null(specs.list[2].label);
	assert_string_equal(specs.list[2].unit, "KB");
	assert_int_equal(specs.list[2].width, 7);
	specs_done(&specs);
}

static void test_a_later_request_replaces_an_earlier_one(void **state)
{
	struct specs specs = {0};

	assert_int_equal(specs_add(&specs, "a", "x"), 0);
	assert_int_equal(specs_add(&specs, "b", "y"), 1);
	assert_int_equal(specs_add(&specs, "a", "z"), 0);
	assert_int_equal(specs.n, 2);
	assert_string_equal(specs.list[0].label, "z");
	assert_true(specs_have(&specs, "b"));
	assert_false(specs_have(&specs, "c"));
	specs_done(&specs);
}

static void test_properties(void **state)
{
	struct specs specs = {0};

	assert_int_equal(specs_add(&specs, "a", NULL), 0);
	assert_int_equal(spec_set(&specs.list[0], "formula", "b + 1"), 0);
	assert_int_equal(spec_set(&specs.list[0], "width", "12"), 0);
	assert_int_equal(spec_set(&specs.list[0], "width", "-1"), PM_ERR_CONV);
	assert_int_equal(spec_set(&specs.list[0], "precision", "2x"), PM_ERR_CONV);
	assert_int_equal(spec_set(&specs.list[0], "color", "red"), PM_ERR_NAME);
	assert_string_equal(specs.list[0].formula, "b + 1");
	assert_int_equal(specs.list[0].width, 12);
	specs_done(&specs);
}

static void test_filter(void **state)
{
	static const struct {
		const char *patterns, *name;
		bool matches;
	} cases[] = {
	    {"", "anything", true},
	    {"sda", "sda", true},
	    {"sda", "sda1", false},
	    {"sd.*", "sda1", true},
	    {"'1 minute','5 minute'", "5 minute", true},
	    {"'1 minute','5 minute'", "15 minute", false},
	    {"1 minute|5 minute", "5 minute", true},
	    {"1", "000001 /sbin/init", true},
	    {"init", "000001 /sbin/init", true},
	    {"sbin", "000001 /sbin/init", false},
	    {"kthreadd", "000002 (kthreadd)", true},
	    {"bash , 'x'", "000009 -x /bin/bash", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter filter = {0};

		assert_int_equal(filter_parse(&filter, cases[i].patterns), 0);
		assert_int_equal(filter_matches(&filter, cases[i].name), cases[i].matches);
		filter_done(&filter);
	}
}

static void test_a_wrong_pattern(void **state)
{
	struct filter filter = {0};

	assert_int_equal(filter_parse(&filter, "a,[b"), PM_ERR_CONV);
	filter_done(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compact_form),
	    cmocka_unit_test(test_a_later_request_replaces_an_earlier_one),
	    cmocka_unit_test(test_properties),
	    cmocka_unit_test(test_filter),
	    cmocka_unit_test(test_a_wrong_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
