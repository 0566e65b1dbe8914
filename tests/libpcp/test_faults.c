/*
 * Each allocation fails once, in turn: what is asked fails with -ENOMEM, nothing leaks (ASan
 * looks), and the connection still matches questions and answers, or is closed and says so.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "calls.h"
#include "fake.h"

enum { OFF = -1, ALLOCATIONS_MAX = 20 };

/* How many allocations of this thread still succeed; the fake's threads are not disturbed. */
static __thread int countdown = OFF;

static bool fails_now(void)
{
	return countdown != OFF && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails_now() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails_now() ? NULL : __real_strdup(s);
}

/* Runs a call whose nth allocation fails. True if it came to that. */
static bool with_fault(int n, int (*call)(void), int *ret_result)
{
	bool failed;

	countdown = n;
	*ret_result = call();
	failed = countdown == OFF;
	countdown = OFF;
	return failed;
}

static struct fake fake;

static void test_calls(void **state)
{
	int total = 0;

	for (size_t i = 0; i < ncalls; i++) {
		int faults = 0;

		for (;; faults++) {
			int handle = fake_context(&fake);
			int r;
			bool failed = with_fault(faults, calls[i].call, &r);

			if (!failed)
				assert_true(r >= 0);
			else
				assert_int_equal(r, -ENOMEM);
			if (pmGetPMNSLocation() < 0)
				assert_int_equal(pmReconnectContext(handle), handle);
			assert_true(calls[i].call() >= 0);
			assert_int_equal(pmDestroyContext(handle), 0);
			if (!failed)
				break;
		}
		print_message("%s: %d allocations\n", calls[i].name, faults);
		total += faults;
	}
	assert_in_range(total, ncalls, ncalls * ALLOCATIONS_MAX);
}

static int open_context(void)
{
	char spec[256];

	snprintf(spec, sizeof(spec), "%s?container=x", fake.spec);
	return pmNewContext(PM_CONTEXT_HOST, spec);
}

static int change_profile(void)
{
	int list[3] = {3, 1, 2};

	return pmAddProfile(FAKE_INDOM, 3, list);
}

static int connect_again(void)
{
	return pmReconnectContext(pmWhichContext());
}

/* What makes a context, and what is asked of it without a request. */
static void test_contexts(void **state)
{
	int (*const makers[])(void) = {open_context, pmDupContext};
	int first = open_context();
	int r;

	assert_int_equal(change_profile(), 0);
	for (int i = 0; i < 2; i++) {
		for (int n = 0; with_fault(n, makers[i], &r); n++) {
			assert_int_equal(r, -ENOMEM);
			assert_int_equal(pmWhichContext(), first);
		}
		assert_true(r > first);
		assert_int_equal(pmDestroyContext(r), 0);
		assert_int_equal(pmUseContext(first), 0);
	}
	assert_int_equal(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	for (int n = 0; with_fault(n, change_profile, &r); n++)
		assert_int_equal(r, -ENOMEM);
	assert_int_equal(r, 0);
	/* A reconnection tells no causes. */
	for (int n = 0; with_fault(n, connect_again, &r) && n < 2; n++)
		assert_true(r == -ETIMEDOUT || r == first);
	assert_int_equal(pmDestroyContext(first), 0);
}

static int group_setup(void **state)
{
	fake_start(&fake);
	return 0;
}

static int group_teardown(void **state)
{
	fake_stop(&fake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_contexts),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
