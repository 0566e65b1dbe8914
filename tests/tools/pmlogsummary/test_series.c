/*
 * test_series - the statistics of an instance: counters and other metrics, marks, wraps, bins
 * (logger.md D5).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/pmlogsummary/pmlogsummary.h"

static const struct series_kind counter = {.counter = true, .scale = 1};
static const struct series_kind instant = {.scale = 1};
static const struct series_kind discrete = {.discrete = true, .scale = 1};

static struct timespec at(double s)
{
	return (struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
}

static void add(struct series *s, const struct series_kind *kind, double value, double when)
{
	struct timespec t = at(when);

	series_add(s, kind, value, &t, 4);
}

static void mark(struct series *s, const struct series_kind *kind, double when)
{
	struct timespec t = at(when);

	series_break(s, kind, &t);
}

static void is_time(const struct timespec *t, double s)
{
	assert_true((double)t->tv_sec + (double)t->tv_nsec / 1e9 == s);
}

/* Rates: 10 in the first second, 5 a second in the next two. */
static void test_counter(void **state)
{
	struct series s = {0};

	add(&s, &counter, 100, 1);
	assert_int_equal(s.count, 0);
	add(&s, &counter, 110, 2);
	add(&s, &counter, 120, 4);
	assert_int_equal(s.count, 2);
	assert_true(s.total == 20 && s.area == 20 && s.seconds == 3 && s.rates == 15);
	assert_true(s.max == 10 && s.min == 5);
	is_time(&s.max_when, 1); /* the first rate has the time of the first value */
	is_time(&s.min_when, 4);
}

/* There is no rate if the value decreases, over a mark, or over no time. */
static void test_counter_without_rate(void **state)
{
	struct series s = {0};

	add(&s, &counter, 100, 1);
	add(&s, &counter, 90, 2);
	assert_int_equal(s.count, 0);
	add(&s, &counter, 92, 3);
	assert_int_equal(s.count, 1);
	mark(&s, &counter, 3.5);
	add(&s, &counter, 1000, 4);
	add(&s, &counter, 2000, 4);
	assert_int_equal(s.count, 1);
	add(&s, &counter, 2001, 5);
	assert_int_equal(s.count, 2);
	assert_true(s.total == 3 && s.seconds == 2);
}

static void test_counter_that_wraps(void **state)
{
	const struct series_kind wraps = {.counter = true, .scale = 1, .wrap = 4294967296.0};
	struct series s = {0};

	add(&s, &wraps, 4294967290.0, 1);
	add(&s, &wraps, 4, 2);
	assert_int_equal(s.count, 1);
	assert_true(s.total == 10);
}

static void test_scale(void **state)
{
	const struct series_kind ms = {.counter = true, .scale = 0.001};
	struct series s = {0};

	add(&s, &ms, 0, 1);
	add(&s, &ms, 500, 2);
	assert_true(s.rates == 0.5 && s.area == 0.5);
}

/*
 * A value is valid until the next one, or a mark; the time after a mark does not count until there
 * is a value.
 */
static void test_instant(void **state)
{
	struct series s = {0};

	add(&s, &instant, 4, 1);
	add(&s, &instant, 8, 3);
	mark(&s, &instant, 5);
	add(&s, &instant, 1, 9);
	mark(&s, &instant, 10);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.averaged, 3);
	assert_true(s.total == 13 && s.rates == 13);
	assert_true(s.seconds == 2 && s.area == 8); /* only up to the mark */
	assert_true(s.min == 1 && s.max == 8);
	is_time(&s.min_when, 9);
	is_time(&s.first_when, 1);
}

/* A discrete value counts again at each mark, with its time up to the mark. */
static void test_discrete(void **state)
{
	struct series s = {0};

	mark(&s, &discrete, 1);
	assert_int_equal(s.averaged, 0);
	add(&s, &discrete, 6, 2);
	mark(&s, &discrete, 5);
	mark(&s, &discrete, 7);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.averaged, 3);
	assert_true(s.rates == 18 && s.seconds == 3 && s.area == 18);
}

/* 0 to 8 in four bins; a boundary belongs to the lower bin. */
static void test_bins(void **state)
{
	static const double values[] = {0, 1, 2, 2.5, 4, 4.1, 6, 7, 8};
	struct series s = {.inst = 7};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		add(&s, &instant, values[i], 1 + (double)i);
	series_restart(&s, 4);
	assert_int_equal(s.inst, 7);
	assert_int_equal(s.count, 0);
	assert_true(s.min == 0 && s.max == 8);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		add(&s, &instant, values[i], 1 + (double)i);
	assert_true(series_bound(&s, 0, 4) == 2 && series_bound(&s, 3, 4) == 8);
	assert_int_equal(s.bins[0], 3);
	assert_int_equal(s.bins[1], 2);
	assert_int_equal(s.bins[2], 2);
	assert_int_equal(s.bins[3], 2);
	assert_int_equal(s.count, 9);
	free(s.bins);
}

/* NaN and values that are too large are counted in some bin. */
static void test_odd_values(void **state)
{
	static const double values[] = {1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324};
	enum { N = sizeof(values) / sizeof(values[0]) };

	for (int first = 0; first < N; first++) {
		struct series s = {0};
		uint64_t all = 0;

		for (int i = 0; i < N; i++)
			add(&s, &instant, values[(first + i) % N], 1 + i);
		series_restart(&s, 4);
		for (int i = 0; i < N; i++)
			add(&s, &instant, values[(first + i) % N], 1 + i);
		for (int i = 0; i < 4; i++)
			all += s.bins[i];
		assert_int_equal(all, N);
		free(s.bins);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counter),
	    cmocka_unit_test(test_counter_without_rate),
	    cmocka_unit_test(test_counter_that_wraps),
	    cmocka_unit_test(test_scale),
	    cmocka_unit_test(test_instant),
	    cmocka_unit_test(test_discrete),
	    cmocka_unit_test(test_bins),
	    cmocka_unit_test(test_odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
