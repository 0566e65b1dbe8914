/* test_stamp - times as text and as differences, in a zone, at the limits of the range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>

#include "tools/archive/window.h"

static void test_text(void **state)
{
	static const struct {
		struct timespec when;
		enum stamp_digits digits;
		const char *time, *date;
	} rows[] = {
	    {{0, 0}, STAMP_MILLI, "00:00:00.000", "Thu Jan  1 00:00:00.000 1970"},
	    {{1700000000, 123456789},
	     STAMP_MICRO,
	     "22:13:20.123456",
	     "Tue Nov 14 22:13:20.123456 2023"},
	    {{1700000000, 123456789}, STAMP_MILLI, "22:13:20.123", "Tue Nov 14 22:13:20.123 2023"},
	    {{1700000000, 9},
	     STAMP_NANO,
	     "22:13:20.000000009",
	     "Tue Nov 14 22:13:20.000000009 2023"},
	    {{1700000001, 999999999},
	     STAMP_NANO,
	     "22:13:21.999999999",
	     "Tue Nov 14 22:13:21.999999999 2023"},
	    {{4102444800, 0}, STAMP_MILLI, "00:00:00.000", "Fri Jan  1 00:00:00.000 2100"},
	    /* An invalid fraction, from a damaged archive. */
	    {{0, 1500000000}, STAMP_MILLI, "00:00:00.1500", "Thu Jan  1 00:00:00.1500 1970"},
	    {{0, -1000000}, STAMP_MILLI, "00:00:00.-01", "Thu Jan  1 00:00:00.-01 1970"},
	};
	char text[STAMP_ROOM];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int len = stamp_time(text, &rows[i].when, rows[i].digits);

		assert_string_equal(text, rows[i].time);
		assert_int_equal(len, strlen(text));
		len = stamp_date(text, &rows[i].when, rows[i].digits);
		assert_string_equal(text, rows[i].date);
		assert_int_equal(len, strlen(text));
	}
}

/* The text of any second fits in its buffer. */
static void test_far_times(void **state)
{
	static const time_t seconds[] = {-1,         -62135596801,  253402300800, INT32_MAX,
					 UINT32_MAX, INT64_MAX / 2, INT64_MIN / 2};
	char text[STAMP_ROOM];

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		struct timespec when = {seconds[i], 5};

		assert_in_range(stamp_time(text, &when, STAMP_NANO), 10, STAMP_ROOM - 1);
		assert_in_range(stamp_date(text, &when, STAMP_NANO), 10, STAMP_ROOM - 1);
	}
}

static void test_minus(void **state)
{
	const struct timespec early = {1700000000, 999999999}, late = {1700000001, 1};

	assert_true(stamp_minus(&late, &early) == 2e-9);
	assert_true(stamp_minus(&early, &late) == -2e-9 ||
		    stamp_minus(&early, &late) == -1 + 0.999999998);
	assert_true(stamp_minus(&early, &early) == 0);
}

static void test_compare(void **state)
{
	const struct timespec a = {1, 5}, b = {1, 6}, c = {2, 0};

	assert_true(stamp_compare(&a, &b) < 0 && stamp_compare(&b, &a) > 0);
	assert_true(stamp_compare(&b, &c) < 0 && stamp_compare(&c, &a) > 0);
	assert_int_equal(stamp_compare(&a, &a), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_far_times),
	    cmocka_unit_test(test_minus),
	    cmocka_unit_test(test_compare),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
