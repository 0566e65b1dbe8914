/* names - any bytes as instance names, components, and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "names.h"

/* text, and what the three make of it */
static const struct {
	const char *text, *instance, *component, *json;
} cases[] = {
    {"tick", "tick", "tick", "tick"},
    {"", "", "e", ""},
    {"9 lives", "9_lives", "e9_lives", "9 lives"},
    {"_a.b-c", "_a.b-c", "e_a_b_c", "_a.b-c"},
    {"q\"\\\n\x7f", "q____", "q____", "q\\\"\\\\\\u000a\\u007f"},
    {"\xc3\xa4", "__", "e__", "\xc3\xa4"},
    {"\xe2\x82\xac\xf0\x9f\x98\x80", "_______", "e_______", "\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\xc3\xa4\xff", "___", "e___", "\\u00c3\\u00a4\\u00ff"},
    {"\xc0\x80", "__", "e__", "\\u00c0\\u0080"},
    {"\xed\xa0\x80", "___", "e___", "\\u00ed\\u00a0\\u0080"},
    {"\xe2\x82", "__", "e__", "\\u00e2\\u0082"},
    {"\xf4\x90\x80\x80", "____", "e____", "\\u00f4\\u0090\\u0080\\u0080"},
};

static void test_all(void **state)
{
	char got[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		names_instance(cases[i].text, got, sizeof(got));
		assert_string_equal(got, cases[i].instance);
		names_component(cases[i].text, got, sizeof(got));
		assert_string_equal(got, cases[i].component);
		names_json(cases[i].text, got, sizeof(got));
		assert_string_equal(got, cases[i].json);
	}
	names_hex("a\xff", got, sizeof(got));
	assert_string_equal(got, "61ff");
}

/* Whatever the room, the text ends within it. */
static void test_room(void **state)
{
	char got[64];

	for (size_t size = 8; size < 40; size++) {
		memset(got, 'x', sizeof(got));
		names_json("\xff\xff\xff\xff\xff\xff\xff", got, size);
		assert_true(strlen(got) < size && got[size] == 'x');
		names_instance("0123456789012345678901234567890123456789", got, size);
		assert_true(strlen(got) == size - 1 && got[size] == 'x');
		names_component("0123456789012345678901234567890123456789", got, size);
		assert_true(strlen(got) == size - 1 && got[size] == 'x');
		names_hex("0123456789012345678901234567890123456789", got, size);
		assert_true(strlen(got) < size && got[size] == 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all),
	    cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
