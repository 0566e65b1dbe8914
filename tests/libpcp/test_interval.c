/* test_interval - lengths of time as text, and computed with. */
#include <math.h>

#include "libbase/clock.h"
#include "pcp_test.h"

/* ---- interval ------------------------------------------------------------------------------- */

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

/* ---- timearith ------------------------------------------------------------------------------ */

static void timevals(void **state)
{
	struct timeval a = {1, 999999}, b = {2, 1};

	pmtimevalInc(&a, &b);
	assert_true(a.tv_sec == 4 && a.tv_usec == 0);
	pmtimevalDec(&a, &b);
	assert_true(a.tv_sec == 1 && a.tv_usec == 999999);
	assert_true(pmtimevalAdd(&a, &b) == 4);
	assert_true(fabs(pmtimevalSub(&b, &a) - 0.000002) < 1e-15);
	assert_true(pmtimevalToReal(&a) == 1.999999);
	pmtimevalFromReal(1.25, &a);
	assert_true(a.tv_sec == 1 && a.tv_usec == 250000);
	pmtimevalFromReal(1.9999999, &a); /* rounded, not carried */
	assert_true(a.tv_sec == 1 && a.tv_usec == 1000000);
	pmtimevalNow(&a);
	assert_true(a.tv_sec > 1700000000);
}

static void timespecs(void **state)
{
	struct timespec a = {1, 999999999}, b = {2, 1};

	pmtimespecInc(&a, &b);
	assert_true(a.tv_sec == 4 && a.tv_nsec == 0);
	pmtimespecDec(&a, &b);
	assert_true(a.tv_sec == 1 && a.tv_nsec == 999999999);
	assert_true(pmtimespecAdd(&a, &b) == 4);
	assert_true(fabs(pmtimespecSub(&b, &a) - 2e-9) < 1e-15);
	pmtimespecFromReal(-1.5, &a);
	assert_true(pmtimespecToReal(&(struct timespec){3, 500000000}) == 3.5);
	assert_int_equal(pmtimespecNow(&a), 0);
	assert_true(a.tv_sec > 1700000000);
}

static void sleeping(void **state)
{
	uint64_t before = clock_mono_ns();
	struct timespec until;

	__pmtimevalSleep((struct timeval){0, 2000});
	__pmtimespecSleep((struct timespec){0, 2000000});
	assert_true(clock_mono_ns() - before >= 4000000);
	pmtimespecNow(&until);
	pmtimespecInc(&until, &(struct timespec){0, 2000000});
	before = clock_mono_ns();
	__pmtimespecPause(until);
	__pmtimevalPause((struct timeval){1, 0}); /* long past */
	assert_true(clock_mono_ns() - before >= 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepted), cmocka_unit_test(refused),   cmocka_unit_test(carried),
	    cmocka_unit_test(timevals), cmocka_unit_test(timespecs), cmocka_unit_test(sleeping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
