/* test_ini - texts of sections and values, and the errors in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "tools/pmrep/ini.h"

static int parse(struct ini *ini, const char *text, struct ini_fault *fault)
{
	*fault = (struct ini_fault){0};
	return ini_parse(ini, "f", text, strlen(text), fault);
}

static void test_sections_and_values(void **state)
{
	static const char text[] = "# comment\n\n[one]\na = b\nc.d: e = f\n; comment\n g\nx =\n"
				   "[two three]\nw = \"  \"\nt = %%H:%M\n";
	const struct ini_section *one, *two;
	struct ini_fault fault;
	struct ini ini;

	assert_int_equal(parse(&ini, text, &fault), 0);
	assert_int_equal(ini.n, 2);
	one = ini_find(&ini, "one");
	two = ini_find(&ini, "two three");
	assert_non_null(one);
	assert_non_null(two);
	assert_null(ini_find(&ini, "three"));
	assert_int_equal(one->n, 3);
	assert_string_equal(one->entries[0].key, "a");
	assert_string_equal(one->entries[0].value, "b");
	assert_string_equal(one->entries[1].key, "c.d");
	assert_string_equal(one->entries[1].value, "e = f\ng");
	assert_string_equal(one->entries[2].value, "");
	assert_string_equal(two->entries[0].value, "\"  \"");
	assert_string_equal(two->entries[1].value, "%H:%M");
	ini_done(&ini);
}

static void test_errors_name_their_line(void **state)
{
	static const struct {
		const char *text;
		int line;
		const char *message;
	} cases[] = {
	    {"a = 1\n", 1, "File contains no section headers.\nfile: 'f', line: 1\n'a = 1\\n'\n"},
	    {"[s]\n\nfoo\n[t]\nbar\n", 3,
	     "Source contains parsing errors: 'f'\n\t[line  3]: 'foo\\n'\n\t[line  5]: 'bar\\n'\n"},
	    {"[s]\n= x\n", 2, "Source contains parsing errors: 'f'\n\t[line  2]: '= x\\n'\n"},
	    {"[s]\na=1\n[s]\n", 3,
	     "While reading from 'f' [line  3]: section 's' already exists\n"},
	    {"[s]\na=1\na=2\n", 3,
	     "While reading from 'f' [line  3]: option 'a' in section 's' already exists\n"},
	};
	struct ini_fault fault;
	struct ini ini;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&ini, cases[i].text, &fault), PM_ERR_GENERIC);
		assert_int_equal(fault.line, cases[i].line);
		assert_string_equal(fault.text, cases[i].message);
		ini_done(&ini);
	}
}

static void test_a_long_line_is_quoted_in_part(void **state)
{
	char text[5000];
	struct ini_fault fault;
	struct ini ini;

	memset(text, 'x', sizeof(text));
	memcpy(text, "[s]\n", 4);
	assert_int_equal(ini_parse(&ini, "f", text, sizeof(text), &fault), PM_ERR_GENERIC);
	assert_int_equal(fault.line, 2);
	assert_true(strlen(fault.text) < 300);
	ini_done(&ini);
}

static void test_many_errors_fit(void **state)
{
	char text[4000];
	struct ini_fault fault;
	struct ini ini;

	memcpy(text, "[s]\n", 4);
	for (size_t i = 4; i < sizeof(text); i++)
		text[i] = i % 4 == 3 ? '\n' : 'x';
	assert_int_equal(ini_parse(&ini, "f", text, sizeof(text), &fault), PM_ERR_GENERIC);
	assert_true(strlen(fault.text) < sizeof(fault.text));
	ini_done(&ini);
}

static void test_zero_bytes_are_refused(void **state)
{
	struct ini_fault fault;
	struct ini ini;

	assert_int_equal(ini_parse(&ini, "f", "[s]\na\0b = 1\n", 12, &fault), PM_ERR_GENERIC);
	ini_done(&ini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sections_and_values),
	    cmocka_unit_test(test_errors_name_their_line),
	    cmocka_unit_test(test_a_long_line_is_quoted_in_part),
	    cmocka_unit_test(test_many_errors_fit),
	    cmocka_unit_test(test_zero_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
