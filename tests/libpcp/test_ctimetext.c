/* test_ctimetext - "@ctime" texts: docs/spec/pmapi.md 15.2. */
#include "libpcp/timetext.h"
#include "pcp_test.h"

static const struct {
	const char *text;
	int year, mon, mday, hour, min, sec;
} right[] = {
    {"Fri Nov 20 15:36:08 2026", 126, 10, 20, 15, 36, 8},
    {"Nov 20", -1, 10, 20, 0, 0, 0},
    {"Nov", -1, 10, 1, 0, 0, 0},
    {"25", -1, -1, 25, 0, 0, 0},
    {"15:36", -1, -1, -1, 15, 36, 0},
    {":36", -1, -1, -1, 0, 36, 0},
    {"3:30 pm", -1, -1, -1, 15, 30, 0},
    {"12:00am", -1, -1, -1, 0, 0, 0},
    {"2026", 126, 0, 1, 0, 0, 0},
    {"20 2026", 126, 0, 1, 20, 0, 0},
    {"Nov 5:5", -1, 10, 1, 5, 5, 0},
    {"", -1, -1, -1, -1, -1, -1},
};

static const struct {
	const char *text;
	const char *message;
} wrong[] = {
    {"Friday", "Friday\n   ^ -- unexpected value\n"},
    {"Fri", "Fri\n   ^ -- more information expected\n"},
    {"20", "20\n  ^ -- more information expected\n"},
    {"12:60", "12:60\n   ^ -- unexpected value\n"},
    {"1899", "1899\n^ -- unexpected value\n"},
};

static void accepted(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		struct tm tm;
		char *msg;

		assert_int_equal(__pmParseCtime(right[i].text, &tm, &msg), 0);
		assert_int_equal(tm.tm_year, right[i].year);
		assert_int_equal(tm.tm_mon, right[i].mon);
		assert_int_equal(tm.tm_mday, right[i].mday);
		assert_int_equal(tm.tm_hour, right[i].hour);
		assert_int_equal(tm.tm_min, right[i].min);
		assert_int_equal(tm.tm_sec, right[i].sec);
	}
}

static void refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct tm tm;
		char *msg;

		assert_int_equal(__pmParseCtime(wrong[i].text, &tm, &msg), -1);
		assert_string_equal(msg, wrong[i].message);
		free(msg);
	}
}

/* Base: Sat Jul 22 04:26:40.25 2023. */
static void resolved(void **state)
{
	static const struct timespec base = {1690000000, 250000000};
	static const struct {
		const char *text;
		time_t sec;
		long nsec;
	} cases[] = {
	    {"13:00", 1690030800, 0},
	    {"03:00", 1690081200, 0}, /* tomorrow */
	    {"Jul 22 2023", 1689984000, 0},
	    {"Jan 1", 1704067200, 0}, /* next year */
	    {"05:00:00.5", 1690002000, 500000000},
	    {"", 1690000000, 250000000},
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ctimetext c;
		struct timespec t;
		const char *at;

		assert_null(ctimetext_parse(cases[i].text, &c, &at));
		t = ctimetext_resolve(&c, &base);
		assert_int_equal(t.tv_sec, cases[i].sec);
		assert_int_equal(t.tv_nsec, cases[i].nsec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
