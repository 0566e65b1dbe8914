/* test_dateword - words and numbers of a date text: docs/spec/pmapi.md 15.4. */
#include "libpcp/datetext.h"
#include "pcp_test.h"

static const struct {
	const char *text;
	enum dateword_kind kind;
	int value;
} cases[] = {
    {"", DATE_END, 0},
    {"  (a (nested) comment) 12", DATE_NUMBER, 12},
    {"-3", DATE_SIGNED, -3},
    {"- 3", DATE_NUMBER, 3}, /* a sign before no digit says nothing */
    {"99999999999999", DATE_NUMBER, 99999999},
    {"Nov", DATE_MONTH, 11},
    {"NOVEMBER", DATE_MONTH, 11},
    {"sept", DATE_MONTH, 9},
    {"Wednes", DATE_DAY, 3},
    {"weeks", DATE_UNIT, 604800},
    {"years", DATE_MONTHS, 12},
    {"p.m.", DATE_MERIDIAN, 12},
    {"next", DATE_NUMBER, 2},
    {"last", DATE_NUMBER, -1},
    {"yesterday", DATE_ALIGN, -1},
    {"EST", DATE_ZONE, 300},
    {"cet", DATE_ZONE, -60},
    {"bst", DATE_DAYZONE, 0},
    {"Z", DATE_ZONE, 0},
    {"m", DATE_ZONE, 720},
    {"y", DATE_ZONE, -720},
    {"j", DATE_UNKNOWN, 0},
    {"ago", DATE_AGO, 0},
    {"nonsense", DATE_UNKNOWN, 0},
    {"/", DATE_CHAR, '/'},
};

static void words(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *pos = cases[i].text;
		struct dateword w = dateword_next(&pos);

		assert_int_equal(w.kind, cases[i].kind);
		if (w.kind != DATE_UNKNOWN)
			assert_int_equal(w.value, cases[i].value);
		assert_int_equal(*pos, '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
