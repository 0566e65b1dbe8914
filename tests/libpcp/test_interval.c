/* test_interval - "1min 30sec": docs/spec/pmapi.md 15.1. */
#include "pcp_test.h"

static const struct {
	const char *text;
	long sec, nsec;
} right[] = {
    {"10", 10, 0},         {"1min 30sec", 90, 0}, {"0.5", 0, 500000000},
    {"1e3", 1000, 0},      {"0x10", 16, 0},       {"5ms", 300, 0},
    {"2 Days", 172800, 0}, {" ", 0, 0},           {"1 day 1h 1m 1s", 90061, 0},
    {"5nsec", 0, 5},       {"1 hr", 3600, 0},
};

static const struct {
	const char *text;
	const char *message;
} wrong[] = {
    {"10foo", "10foo\n  ^ -- unexpected value\n"},  {"", "\n^ -- Null or empty specification\n"},
    {NULL, "\n^ -- Null or empty specification\n"}, {"-5", "-5\n^ -- unexpected value\n"},
    {"5us", "5us\n ^ -- unexpected value\n"},       {"nan", "nan\n^ -- unexpected value\n"},
    {"inf", "inf\n^ -- unexpected value\n"},        {"1e300", "1e300\n^ -- unexpected value\n"},
};

static void accepted(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		struct timespec ts;
		struct timeval tv;
		char *msg;

		assert_int_equal(pmParseHighResInterval(right[i].text, &ts, &msg), 0);
		assert_int_equal(ts.tv_sec, right[i].sec);
		assert_int_equal(ts.tv_nsec, right[i].nsec);
		assert_int_equal(pmParseInterval(right[i].text, &tv, &msg), 0);
		assert_int_equal(tv.tv_sec, right[i].sec);
		assert_int_equal(tv.tv_usec, right[i].nsec / 1000);
	}
}

static void refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct timeval tv;
		char *msg;

		assert_int_equal(pmParseInterval(wrong[i].text, &tv, &msg), -1);
		assert_string_equal(msg, wrong[i].message);
		free(msg);
	}
}

/* A fraction that rounds up to a second is carried. */
static void carried(void **state)
{
	struct timeval tv;
	char *msg;

	assert_int_equal(pmParseInterval("1.9999999", &tv, &msg), 0);
	assert_true(tv.tv_sec == 2 && tv.tv_usec == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(carried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
