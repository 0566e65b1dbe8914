/* test_timearith - sums, differences, conversions, sleeping: docs/spec/pmapi.md 13.6, 24. */
#include <math.h>

#include "libbase/clock.h"
#include "pcp_test.h"

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
	    cmocka_unit_test(timevals),
	    cmocka_unit_test(timespecs),
	    cmocka_unit_test(sleeping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
