/* scan - numbers, words and lines, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan.h"

static void test_u64(void **state)
{
	static const struct {
		const char *text;
		bool found;
		uint64_t value;
		const char *rest;
	} cases[] = {
	    {"5", true, 5, ""},
	    {" \t12 x", true, 12, " x"},
	    {"0012,", true, 12, ","},
	    {"18446744073709551614", true, UINT64_MAX - 1, ""},
	    {"18446744073709551615", true, UINT64_MAX, ""},
	    {"18446744073709551616", true, UINT64_MAX, ""},
	    {"99999999999999999999999999 7", true, UINT64_MAX, " 7"},
	    {"-1", false, 0, "-1"},
	    {"", false, 0, ""},
	    {"x1", false, 0, "x1"},
	    {"\n1", false, 0, "\n1"}, /* not beyond the end of the line */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan s = {cases[i].text};
		uint64_t v = 0;

		assert_int_equal(scan_u64(&s, &v), cases[i].found);
		assert_true(v == cases[i].value);
		assert_string_equal(s.p, cases[i].rest);
	}
}

static void test_i64(void **state)
{
	static const struct {
		const char *text;
		bool found;
		int64_t value;
	} cases[] = {
	    {"-2", true, -2},
	    {" 7", true, 7},
	    {"9223372036854775807", true, INT64_MAX},
	    {"9223372036854775808", false, 0},
	    {"- 2", false, 0},
	    {"-", false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan s = {cases[i].text};
		int64_t v = 0;

		assert_int_equal(scan_i64(&s, &v), cases[i].found);
		assert_true(v == cases[i].value);
	}
}

static void test_double(void **state)
{
	static const struct {
		const char *text;
		bool found;
		double value;
	} cases[] = {
	    {"0.25", true, 0.25},
	    {"36991.76", true, 36991.76},
	    {"5", true, 5},
	    {"5.", true, 5},
	    {".5", false, 0},
	    {"nan", false, 0},
	    {"1.00000000000000000000000000000000001", true, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan s = {cases[i].text};
		double v = 0;

		assert_int_equal(scan_double(&s, &v), cases[i].found);
		assert_true(v == cases[i].value);
	}
}

static void test_lines(void **state)
{
	struct scan s = {"one two\n\nthree \t\n"};
	const char *word;
	size_t len;

	assert_true(scan_word(&s, &word, &len));
	assert_int_equal(len, 3);
	assert_int_equal(scan_rest(&s, &word), 3);
	assert_memory_equal(word, "two", 3);
	assert_true(scan_next_line(&s));
	assert_false(scan_word(&s, &word, &len));
	assert_true(scan_next_line(&s));
	assert_false(scan_text(&s, "thro"));
	assert_true(scan_text(&s, "th"));
	assert_int_equal(scan_rest(&s, &word), 3);
	assert_false(scan_next_line(&s)); /* nothing follows the last newline */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_u64),
	    cmocka_unit_test(test_i64),
	    cmocka_unit_test(test_double),
	    cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
