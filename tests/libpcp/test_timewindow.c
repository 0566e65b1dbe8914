/* test_timewindow - -S, -T, -A and -O together: docs/spec/pmapi.md 15.3. */
#include "pcp_test.h"

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
	    cmocka_unit_test(windows),
	    cmocka_unit_test(mistakes),
	    cmocka_unit_test(microseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
