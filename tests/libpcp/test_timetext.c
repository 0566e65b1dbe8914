/* test_timetext - times and time windows that a user types. */
#include <stdbool.h>

#include "libpcp/timetext.h"
#include "pcp_test.h"

/* ---- timetext ------------------------------------------------------------------------------- */

static const struct timespec start = {1690000000, 250000000}; /* Jul 22 04:26:40 UTC */
static const struct timespec end = {1690099000, 750000000};
static const struct timespec unknown = {PM_MAX_TIME_T, 0};

static void forms(void **state)
{
	static const struct {
		const char *text;
		bool bounded;
		long sec, nsec;
	} cases[] = {
	    {"10min", true, 1690000600, 250000000},   {"+10min", true, 1690000600, 250000000},
	    {" -10min", true, 1690098400, 750000000}, {"@13:00", true, 1690030800, 0},
	    {"2 hours ago", true, 1690091800, 0},     {"2 hours ago", false, 1689992800, 0},
	    {"-1 week", true, 1689494200, 0},         {"Nov 5, 2023", true, 1699142400, 0},
	    {"@Nov 5, 2023", true, 1699142400, 0},
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timespec t;
		char *msg;

		assert_int_equal(timetext_parse(cases[i].text, &start,
						cases[i].bounded ? &end : &unknown, &t, &msg),
				 0);
		assert_int_equal(t.tv_sec, cases[i].sec);
		assert_int_equal(t.tv_nsec, cases[i].nsec);
	}
}

/* The message is that of the first thing tried. */
static void messages(void **state)
{
	static const char *const cases[][2] = {
	    {"10 foo", "10 foo\n   ^ -- unexpected value\n"},
	    {"@foo", "foo\n^ -- unexpected value\n"},
	    {"-10 foo", "10 foo\n   ^ -- unexpected value\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timespec t;
		char *msg;

		assert_int_equal(timetext_parse(cases[i][0], &start, &end, &t, &msg), -1);
		assert_string_equal(msg, cases[i][1]);
		free(msg);
	}
}

static void exported(void **state)
{
	struct timeval from = {1000, 500000}, to = {2000, 0}, result;
	struct timespec high = {1000, 5}, high_to = {2000, 0}, high_result;
	char *msg;

	assert_int_equal(__pmParseTime("5", &from, &to, &result, &msg), 0);
	assert_true(result.tv_sec == 1005 && result.tv_usec == 500000);
	assert_int_equal(__pmParseHighResTime("-5", &high, &high_to, &high_result, &msg), 0);
	assert_int_equal(high_result.tv_sec, 1995);
}

/* ---- ctimetext ------------------------------------------------------------------------------ */

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

/* ---- timewindow ----------------------------------------------------------------------------- */

static const struct timespec from = {1690000000, 250000000};
static const struct timespec to = {1690099000, 0};

static const struct {
	const char *start, *end, *align, *offset;
	int result;
	struct timespec expected[3];
} cases[] = {
    {NULL,
     NULL,
     NULL,
     NULL,
     1,
     {{1690000000, 250000000}, {1690099000, 0}, {1690000000, 250000000}}},
    {"10min",
     "-10min",
     NULL,
     NULL,
     1,
     {{1690000600, 250000000}, {1690098400, 0}, {1690000600, 250000000}}},
    {"10min",
     "10min",
     NULL,
     NULL,
     1,
     {{1690000600, 250000000}, {1690001200, 250000000}, {1690000600, 250000000}}},
    {NULL, NULL, "1hour", NULL, 1, {{1690002000, 0}, {1690099000, 0}, {1690002000, 0}}},
    {NULL, NULL, "1hour", "90min", 1, {{1690002000, 0}, {1690099000, 0}, {1690009200, 0}}},
    {NULL,
     NULL,
     "400days",
     NULL,
     0,
     {{1690000000, 250000000}, {1690099000, 0}, {1690000000, 250000000}}},
    {"@Jul 1 2023",
     "@Dec 1 2023",
     NULL,
     NULL,
     1,
     {{1690000000, 250000000}, {1690099000, 0}, {1690000000, 250000000}}},
    {NULL,
     NULL,
     NULL,
     "@Dec 1 2023",
     1,
     {{1690000000, 250000000}, {1690099000, 0}, {1690099000, 0}}},
};

static void windows(void **state)
{
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct timespec w[3];
		char *msg = NULL;

		assert_int_equal(pmParseHighResTimeWindow(cases[i].start, cases[i].end,
							  cases[i].align, cases[i].offset, &from,
							  &to, &w[0], &w[1], &w[2], &msg),
				 cases[i].result);
		for (int j = 0; j < 3; j++) {
			assert_int_equal(w[j].tv_sec, cases[i].expected[j].tv_sec);
			assert_int_equal(w[j].tv_nsec, cases[i].expected[j].tv_nsec);
		}
		if (cases[i].result == 0)
			assert_string_equal(msg,
					    "400days\n^ -- alignment specified by -A switch could "
					    "not be applied\n");
		free(msg);
	}
}

static void mistakes(void **state)
{
	static const char *const texts[][4] = {
	    {"foo", NULL, NULL, NULL}, {NULL, "foo", NULL, NULL}, {NULL, NULL, "foo", NULL},
	    {NULL, NULL, "0", NULL},   {NULL, NULL, NULL, "foo"}, {NULL, NULL, "", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct timespec s = {1, 1}, e = {2, 2}, o = {3, 3};
		char *msg = NULL;

		assert_int_equal(pmParseHighResTimeWindow(texts[i][0], texts[i][1], texts[i][2],
							  texts[i][3], &from, &to, &s, &e, &o,
							  &msg),
				 -1);
		assert_non_null(msg);
		assert_true(s.tv_sec == 1 && e.tv_sec == 2 && o.tv_sec == 3);
		free(msg);
	}
}

static void microseconds(void **state)
{
	struct timeval low_from = {1690000000, 250000}, low_to = {1690099000, 0}, s, e, o;
	char *msg;

	assert_int_equal(
	    pmParseTimeWindow("0.0000015", NULL, NULL, NULL, &low_from, &low_to, &s, &e, &o, &msg),
	    1);
	assert_int_equal(s.tv_usec, 250001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),    cmocka_unit_test(messages), cmocka_unit_test(exported),
	    cmocka_unit_test(accepted), cmocka_unit_test(refused),  cmocka_unit_test(resolved),
	    cmocka_unit_test(windows),  cmocka_unit_test(mistakes), cmocka_unit_test(microseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
