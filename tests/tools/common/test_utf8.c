/*
 * test_utf8 - the length of sequences, and text with other bytes, also as JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/common/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

static void lengths(void **state)
{
	static const struct {
		const char *text;
		size_t n, length;
	} cases[] = {
	    {"a", 1, 1},
	    {"\xc3\xa9", 2, 2},
	    {"\xc3\xa9", 1, 0},         /* incomplete */
	    {"\xc0\x80", 2, 0},         /* overlong */
	    {"\xe0\x9f\xbf", 3, 0},     /* overlong */
	    {"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
	    {"\xe2\x82\xac", 3, 3},
	    {"\xed\x9f\xbf", 3, 3},
	    {"\xed\xa0\x80", 3, 0}, /* surrogate */
	    {"\xf0\x9f\x98\x80", 4, 4},
	    {"\xf4\x8f\xbf\xbf", 4, 4}, /* the last code point */
	    {"\xf4\x90\x80\x80", 4, 0},
	    {"\xf5\x80\x80\x80", 4, 0},
	    {"\x80", 1, 0},
	    {"\xc3"
	     "a",
	     2, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (utf8_length((const uint8_t *)cases[i].text, cases[i].n) != cases[i].length)
			fail_msg("case %zu", i);
}

static void controls(void **state)
{
	(void)state;
	assert_true(utf8_is_control((const uint8_t *)"\n", 1));
	assert_true(utf8_is_control((const uint8_t *)"\x7f", 1));
	assert_false(utf8_is_control((const uint8_t *)" ", 1));
	assert_true(utf8_is_control((const uint8_t *)"\xc2\x9f", 2));
	assert_false(utf8_is_control((const uint8_t *)"\xc2\xa0", 2));
	assert_false(utf8_is_control((const uint8_t *)"\xe2\x82\xac", 3));
}

static void copies(void **state)
{
	static const char text[] = "a\xff\xc3\xa9\0\xe2\x82";
	char *copy = utf8_copy(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(copy, "a" REPLACEMENT "\xc3\xa9" REPLACEMENT REPLACEMENT REPLACEMENT);
	free(copy);
}

/* Text that is not UTF-8 does not get into JSON. */
static void json(void **state)
{
	static const struct {
		const char *in, *out;
	} strings[] = {
	    {"", "\"\""},
	    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
	    {"\xc0\xaf", "\"\\ufffd\\ufffd\""},            /* overlong form */
	    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* a surrogate */
	    {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
	    {"a\xe2\x82", "\"a\\ufffd\\ufffd\""}, /* truncated */
	    {"\xc2\x80\xc3\xa9", "\"\\u0080\xc3\xa9\""},
	    {"\t\x7f\"\\", "\"\\u0009\\u007f\\\"\\\\\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		utf8_print_json(out, strings[i].in, strlen(strings[i].in));
		fclose(out);
		assert_string_equal(text, strings[i].out);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lengths),
	    cmocka_unit_test(controls),
	    cmocka_unit_test(copies),
	    cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
