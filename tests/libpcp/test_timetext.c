/* test_timetext - times of -S and -T: docs/spec/pmapi.md 15.2. */
#include <stdbool.h>

#include "libpcp/timetext.h"
#include "pcp_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),
	    cmocka_unit_test(messages),
	    cmocka_unit_test(exported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
