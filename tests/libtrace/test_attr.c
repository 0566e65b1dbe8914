/* test_attr - attribute objects: T-ATTR-01 to 32, and what a stream makes of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <trace_np.h>

#include "libtrace/attr.h"

typedef int (*set_word)(trace_attr_t *, int);
typedef int (*get_word)(const trace_attr_t *, int *);
typedef int (*set_size)(trace_attr_t *, size_t);
typedef int (*get_size)(const trace_attr_t *, size_t *);

static const struct {
	set_word set;
	get_word get;
	int first; /* default as read */
	int good[4], bad[4];
} words[] = {
    {posix_trace_attr_setinherited,
     posix_trace_attr_getinherited,
     POSIX_TRACE_CLOSE_FOR_CHILD,
     {POSIX_TRACE_INHERITED, POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED, 0},
     {2, -1, 99, 1 << 30}},
    {posix_trace_attr_setstreamfullpolicy,
     posix_trace_attr_getstreamfullpolicy,
     POSIX_TRACE_LOOP,
     {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP},
     {POSIX_TRACE_APPEND, 0, -1, 99}},
    {posix_trace_attr_setlogfullpolicy,
     posix_trace_attr_getlogfullpolicy,
     POSIX_TRACE_LOOP,
     {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP},
     {POSIX_TRACE_FLUSH, 0, -1, 99}},
    {posix_trace_attr_setclock_np,
     posix_trace_attr_getclock_np,
     POSIX_TRACE_CLOCK_ADAPTIVE_NP,
     {POSIX_TRACE_CLOCK_STRICT_NP, POSIX_TRACE_CLOCK_ADAPTIVE_NP, 0, 1},
     {2, -1, 99, 1 << 30}},
};

static const struct {
	set_size set;
	get_size get;
} sizes[] = {
    {posix_trace_attr_setstreamsize, posix_trace_attr_getstreamsize},
    {posix_trace_attr_setlogsize, posix_trace_attr_getlogsize},
    {posix_trace_attr_setmaxdatasize, posix_trace_attr_getmaxdatasize},
};

enum {
	WORDS = sizeof(words) / sizeof(words[0]),
	SIZES = sizeof(sizes) / sizeof(sizes[0]),
};

static void begins_with_the_defaults(void **state)
{
	char text[TRACE_NAME_MAX];
	struct timespec ts;
	trace_attr_t attr;
	size_t size;
	int value;

	memset(&attr, 0x5a, sizeof(attr));
	assert_int_equal(posix_trace_attr_init(&attr), 0);
	for (int i = 0; i < WORDS; i++) {
		assert_int_equal(words[i].get(&attr, &value), 0);
		assert_int_equal(value, words[i].first);
	}
	posix_trace_attr_getstreamsize(&attr, &size);
	assert_true(size >= 65536);
	posix_trace_attr_getmaxdatasize(&attr, &size);
	assert_true(size >= 256);
	posix_trace_attr_getlogsize(&attr, &size);
	assert_true(size >= 1 << 20);
	assert_int_equal(posix_trace_attr_getname(&attr, text), 0);
	assert_string_equal(text, "");
	assert_int_equal(posix_trace_attr_getgenversion(&attr, text), 0);
	assert_true(strlen(text) > 0 && strlen(text) < TRACE_NAME_MAX);
	assert_int_equal(posix_trace_attr_getcreatetime(&attr, &ts), 0);
	assert_true(ts.tv_sec == 0 && ts.tv_nsec == 0);
	assert_int_equal(posix_trace_attr_getclockres(&attr, &ts), 0);
	assert_true(ts.tv_sec == 0 && ts.tv_nsec > 0 && ts.tv_nsec <= 1000);
}

static void keeps_words_and_refuses_others(void **state)
{
	trace_attr_t attr, before;
	int value;

	posix_trace_attr_init(&attr);
	for (int i = 0; i < WORDS; i++)
		for (int j = 0; j < 4; j++) {
			assert_int_equal(words[i].set(&attr, words[i].good[j]), 0);
			before = attr;
			assert_int_equal(words[i].set(&attr, words[i].bad[j]), EINVAL);
			assert_memory_equal(&attr, &before, sizeof(attr));
			assert_int_equal(words[i].get(&attr, &value), 0);
			assert_int_equal(value, words[i].good[j]);
		}
}

static void keeps_any_size(void **state)
{
	static const size_t values[] = {0, 1, 65536, SIZE_MAX / 2, SIZE_MAX};
	trace_attr_t attr;
	size_t size;

	posix_trace_attr_init(&attr);
	for (size_t j = 0; j < 5; j++) {
		for (int i = 0; i < SIZES; i++)
			assert_int_equal(sizes[i].set(&attr, values[j] - (size_t)i), 0);
		for (int i = 0; i < SIZES; i++) {
			assert_int_equal(sizes[i].get(&attr, &size), 0);
			assert_true(size == values[j] - (size_t)i);
		}
	}
}

static void cuts_long_names(void **state)
{
	char longer[200], text[TRACE_NAME_MAX + 8];
	trace_attr_t attr;

	posix_trace_attr_init(&attr);
	for (size_t len = 0; len < sizeof(longer); len++) {
		size_t kept = len < TRACE_NAME_MAX ? len : TRACE_NAME_MAX - 1;

		memset(longer, 'a' + (int)(len % 26), len);
		longer[len] = '\0';
		assert_int_equal(posix_trace_attr_setname(&attr, longer), 0);
		memset(text, 0x7f, sizeof(text));
		assert_int_equal(posix_trace_attr_getname(&attr, text), 0);
		assert_int_equal(strlen(text), kept);
		assert_memory_equal(text, longer, kept);
		for (size_t i = TRACE_NAME_MAX; i < sizeof(text); i++)
			assert_int_equal(text[i], 0x7f);
	}
}

static void tells_sizes_of_events(void **state)
{
	size_t size, before = 0;
	trace_attr_t attr;

	posix_trace_attr_init(&attr);
	posix_trace_attr_setmaxdatasize(&attr, 300);
	assert_int_equal(posix_trace_attr_getmaxsystemeventsize(&attr, &size), 0);
	assert_true(size >= 2 * sizeof(trace_event_set_t));
	for (size_t n = 0; n < 1000; n++) {
		assert_int_equal(posix_trace_attr_getmaxusereventsize(&attr, n, &size), 0);
		assert_true(size > 0 && size >= before && size >= (n < 300 ? n : 300));
		before = size;
	}
	posix_trace_attr_getmaxusereventsize(&attr, 300, &before);
	assert_int_equal(size, before);
}

/* An object that was never made, or is destroyed, is refused by every function. */
static void refused(trace_attr_t *attr)
{
	char text[TRACE_NAME_MAX];
	trace_attr_t before = *attr;
	struct timespec ts;
	size_t size;
	int value;

	for (int i = 0; i < WORDS; i++) {
		assert_int_equal(words[i].set(attr, words[i].good[0]), EINVAL);
		assert_int_equal(words[i].get(attr, &value), EINVAL);
	}
	for (int i = 0; i < SIZES; i++) {
		assert_int_equal(sizes[i].set(attr, 1), EINVAL);
		assert_int_equal(sizes[i].get(attr, &size), EINVAL);
	}
	assert_int_equal(posix_trace_attr_getname(attr, text), EINVAL);
	assert_int_equal(posix_trace_attr_setname(attr, "x"), EINVAL);
	assert_int_equal(posix_trace_attr_getgenversion(attr, text), EINVAL);
	assert_int_equal(posix_trace_attr_getcreatetime(attr, &ts), EINVAL);
	assert_int_equal(posix_trace_attr_getclockres(attr, &ts), EINVAL);
	assert_int_equal(posix_trace_attr_getmaxsystemeventsize(attr, &size), EINVAL);
	assert_int_equal(posix_trace_attr_getmaxusereventsize(attr, 1, &size), EINVAL);
	assert_int_equal(posix_trace_attr_destroy(attr), EINVAL);
	assert_memory_equal(attr, &before, sizeof(before));
}

static void refuses_objects_that_are_none(void **state)
{
	trace_attr_t attr = {0};

	refused(&attr);
	posix_trace_attr_init(&attr);
	assert_int_equal(posix_trace_attr_destroy(&attr), 0);
	refused(&attr);
	assert_int_equal(posix_trace_attr_init(&attr), 0);
	assert_int_equal(posix_trace_attr_setname(&attr, "again"), 0);
}

static void objects_and_attributes_are_independent(void **state)
{
	trace_attr_t a, b, c;
	int value;

	posix_trace_attr_init(&a);
	posix_trace_attr_init(&b);
	c = a;
	posix_trace_attr_setname(&a, "a");
	for (int i = 0; i < WORDS; i++)
		words[i].set(&a, words[i].good[0]);
	assert_memory_equal(&b, &c, sizeof(b));
	for (int i = 0; i < SIZES; i++)
		sizes[i].set(&a, 4711);
	for (int i = 0; i < WORDS; i++) {
		words[i].get(&a, &value);
		assert_int_equal(value, words[i].good[0]);
	}
}

static void resolves_for_a_stream(void **state)
{
	static const struct {
		int policy; /* 0: no attr, -1: not set */
		bool logged;
		int r, expect;
	} rows[] = {
	    {0, false, 0, POSIX_TRACE_LOOP},
	    {0, true, 0, POSIX_TRACE_FLUSH},
	    {-1, false, 0, POSIX_TRACE_LOOP},
	    {-1, true, 0, POSIX_TRACE_FLUSH},
	    {POSIX_TRACE_LOOP, true, 0, POSIX_TRACE_LOOP},
	    {POSIX_TRACE_UNTIL_FULL, true, 0, POSIX_TRACE_UNTIL_FULL},
	    {POSIX_TRACE_UNTIL_FULL, false, 0, POSIX_TRACE_UNTIL_FULL},
	    {POSIX_TRACE_FLUSH, false, -EINVAL, 0},
	    {POSIX_TRACE_FLUSH, true, 0, POSIX_TRACE_FLUSH},
	};
	trace_attr_t attr, ret;
	int value;

	unsetenv("PITOT_TRACE_CLOCK");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		posix_trace_attr_init(&attr);
		if (rows[i].policy > 0)
			posix_trace_attr_setstreamfullpolicy(&attr, rows[i].policy);
		assert_int_equal(
		    attr_resolve(rows[i].policy == 0 ? NULL : &attr, rows[i].logged, &ret),
		    rows[i].r);
		if (rows[i].r != 0)
			continue;
		posix_trace_attr_getstreamfullpolicy(&ret, &value);
		assert_int_equal(value, rows[i].expect);
		assert_int_equal(ret.__clock, POSIX_TRACE_CLOCK_ADAPTIVE_NP);
	}
	setenv("PITOT_TRACE_CLOCK", "strict", 1);
	assert_int_equal(attr_resolve(NULL, false, &ret), 0);
	assert_int_equal(ret.__clock, POSIX_TRACE_CLOCK_STRICT_NP);
	unsetenv("PITOT_TRACE_CLOCK");
	memset(&attr, 0, sizeof(attr));
	assert_int_equal(attr_resolve(&attr, false, &ret), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(begins_with_the_defaults),
	    cmocka_unit_test(keeps_words_and_refuses_others),
	    cmocka_unit_test(keeps_any_size),
	    cmocka_unit_test(cuts_long_names),
	    cmocka_unit_test(tells_sizes_of_events),
	    cmocka_unit_test(refuses_objects_that_are_none),
	    cmocka_unit_test(objects_and_attributes_are_independent),
	    cmocka_unit_test(resolves_for_a_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
