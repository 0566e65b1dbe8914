/* test_datetext - date texts, and their words. */
#include "libpcp/datetext.h"
#include "pcp_test.h"

/* ---- datetext ------------------------------------------------------------------------------- */

/* Seen from Sat Jul 22 04:26:40 2023 UTC. */
#define BASE 1690000000

static const struct {
	const char *text;
	time_t time; /* -1: no date */
} datetext_cases[] = {
    {"Nov 5, 2023 10:30", 1699180200},
    {"10:30 5 Nov 2023", 1699180200},
    {"2023-11-05 10:30", 1699180200},
    {"11/5/2023 1030", 1699180200},
    {"20231105", 1699142400},
    {"5-nov-23", 1699142400},
    {"Nov 5, 2023 10:30 EST", 1699198200},
    {"Nov 5, 2023 10:30 EST DST", 1699194600},
    {"Nov 5, 2023 10:30 +0100", 1699176600},
    {"3:15 p.m. Nov 5, 2023 (tea)", 1699197300},
    {"today", 1689984000},
    {"tomorrow", 1690070400},
    {"yesterday 10:00", 1689933600},
    {"10:00", 1690020000},
    {"Monday", 1690156800},
    {"next Monday", 1690761600},
    {"Saturday", 1689984000},
    {"last Saturday", 1689379200},
    {"1 week ago", BASE - 604800},
    {"-2 days", BASE - 172800},
    {"next week", BASE + 2 * 604800},
    {"1 day 3 hours", BASE + 97200},
    {"1 month", 1692678400},
    {"1 year ago", 1658464000},
    {"now", BASE},
    {"", 1689984000},
    {"Nov 31, 2023", -1},
    {"feb 29, 2023", -1},
    {"13pm Nov 5, 2023", -1},
    {"10:60", -1},
    {"nonsense", -1},
    {"Nov", -1},
    {"10:30 11:30", -1},
    {"jan 1, 1960", -1},
    {"99999999999 weeks", -1},
    {"-99999999 months", -1},
    {"-30000 months", -1},
    {"99999999 Monday", 60481688947200},
};

static void texts(void **state)
{
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(datetext_cases); i++) {
		time_t t = -1;
		int r = datetext_parse(datetext_cases[i].text, BASE, &t);

		assert_int_equal(r, datetext_cases[i].time < 0 ? -1 : 0);
		assert_int_equal(t, datetext_cases[i].time);
	}
}

/* The last day of January and a month: the last day of February. */
static void short_months(void **state)
{
	time_t t;

	setenv("TZ", "UTC", 1);
	assert_int_equal(datetext_parse("1 month", 1706659200, &t), 0); /* Jan 31 2024 */
	assert_int_equal(t, 1709164800);                                /* Feb 29 2024 */
}

/* ---- dateword ------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	enum dateword_kind kind;
	int value;
} dateword_cases[] = {
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
	for (size_t i = 0; i < ARRAY_SIZE(dateword_cases); i++) {
		const char *pos = dateword_cases[i].text;
		struct dateword w = dateword_next(&pos);

		assert_int_equal(w.kind, dateword_cases[i].kind);
		if (w.kind != DATE_UNKNOWN)
			assert_int_equal(w.value, dateword_cases[i].value);
		assert_int_equal(*pos, '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),
	    cmocka_unit_test(short_months),
	    cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
