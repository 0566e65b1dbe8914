/* Handles, the current context of each thread, and contexts that threads share, lose and destroy.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "fake.h"

static void test_handles(void **state)
{
	struct fake fake = {0};
	char name[64];
	int a;
	int b;

	fake_start(&fake);
	assert_int_equal(pmWhichContext(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmDupContext(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmUseContext(0), PM_ERR_NOCONTEXT);
	assert_int_equal(pmDestroyContext(-1), PM_ERR_NOCONTEXT);
	assert_int_equal(pmReconnectContext(3), PM_ERR_NOCONTEXT);
	/* No number for a name that is missing; one for every other failure. */
	assert_int_equal(pmNewContext(PM_CONTEXT_HOST, NULL), PM_ERR_NOCONTEXT);
	a = fake_context(&fake);
	assert_int_equal(a, 0);
	assert_int_equal(pmNewContext(77, "x"), PM_ERR_NOCONTEXT);
	assert_int_equal(pmNewContext(PM_CONTEXT_ARCHIVE, "/no/such"), -ENOENT);
	setenv("PCP_PMCDCONF_PATH", "/no/such", 1);
	assert_int_equal(pmNewContext(PM_CONTEXT_LOCAL, NULL), -ENOENT);
	assert_int_equal(pmNewContext(PM_CONTEXT_HOST, "unix:/no/such"), -ENOENT);
	assert_int_equal(pmNewContext(PM_CONTEXT_HOST, ""), PM_ERR_NOTHOST);
	assert_int_equal(pmWhichContext(), a);
	b = fake_context(&fake);
	assert_int_equal(b, 6);
	assert_int_equal(pmWhichContext(), b);
	assert_int_equal(pmUseContext(a), 0);
	assert_int_equal(pmDestroyContext(b), 0);
	assert_int_equal(pmDestroyContext(b), PM_ERR_NOCONTEXT);
	assert_int_equal(pmUseContext(b), PM_ERR_NOCONTEXT);
	assert_int_equal(pmWhichContext(), a);
	assert_int_equal(pmGetHostName(b, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	assert_int_equal(pmDestroyContext(a), 0);
	assert_int_equal(pmWhichContext(), PM_ERR_NOCONTEXT);
	fake_stop(&fake);
}

static void test_modes(void **state)
{
	struct fake fake = {0};
	struct timespec when = {1, 0};
	struct timeval tv = {1, 0};
	pmResult *result;
	int handle;

	assert_int_equal(pmSetMode(PM_MODE_LIVE, NULL, 0), PM_ERR_NOCONTEXT);
	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pmSetMode(PM_MODE_LIVE, NULL, 0), 0);
	assert_int_equal(pmSetMode(PM_MODE_LIVE | PM_XTB_SET(PM_TIME_SEC), &tv, 1), 0);
	assert_int_equal(pmSetModeHighRes(PM_MODE_INTERP, &when, NULL), PM_ERR_MODE);
	assert_int_equal(pmFetchArchive(&result), PM_ERR_NOTARCHIVE);
	assert_int_equal(pmLookupInDomArchive(FAKE_INDOM, "one"), PM_ERR_NOTARCHIVE);
	assert_int_equal(pmLookupInDomArchive(PM_INDOM_NULL, "one"), PM_ERR_INDOM);
	pmDestroyContext(handle);
	fake_stop(&fake);
}

static void *in_another_thread(void *arg)
{
	int *shared = arg;
	pmDesc desc;

	assert_int_equal(pmWhichContext(), PM_ERR_NOCONTEXT);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), PM_ERR_NOCONTEXT);
	assert_int_equal(pmUseContext(*shared), 0);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), 0);
	assert_int_equal(pmDestroyContext(*shared), 0);
	return NULL;
}

/* Which one is current is each thread's own; what is destroyed is gone for all. */
static void test_current_of_thread(void **state)
{
	struct fake fake = {0};
	pthread_t thread;
	pmDesc desc;
	int handle;

	fake_start(&fake);
	handle = fake_context(&fake);
	assert_int_equal(pthread_create(&thread, NULL, in_another_thread, &handle), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pmWhichContext(), handle);
	assert_int_equal(pmLookupDesc(FAKE_COUNT, &desc), PM_ERR_NOCONTEXT);
	assert_int_equal(pmDestroyContext(handle), PM_ERR_NOCONTEXT);
	fake_stop(&fake);
}

/*
 * Eight threads with contexts of their own and two that they share, while the collector dies and
 * restarts. Every result is a right answer or an expected error. TSan and ASan watch the rest.
 */
enum { NTHREAD = 8, NSHARED = 2, NRESTART = 4 };

struct crowd {
	struct fake fake;
	int shared[NSHARED];
	bool stop;
	unsigned int good;
};

static bool is_loss(int code)
{
	return code == PM_ERR_IPC || code == -ETIMEDOUT || code == -ECONNREFUSED ||
	       code == -ENOENT || code == -ECONNRESET;
}

static void use_once(struct crowd *crowd, unsigned int *seed)
{
	pmID pmids[2] = {FAKE_COUNT, FAKE_LOAD};
	pmResult *result;
	char *name;
	int r;

	switch (rand_r(seed) % 4) {
	case 0:
		r = pmNameInDom(FAKE_INDOM, 2, &name);
		if (r == 0) {
			assert_string_equal(name, "two");
			free(name);
		}
		break;
	case 1:
		r = pmAddProfile(FAKE_INDOM, 0, NULL);
		break;
	default:
		r = pmFetch(2, pmids, &result);
		if (r >= 0) {
			assert_int_equal(result->vset[0]->vlist[0].value.lval, 7);
			assert_int_equal(result->vset[1]->numval, 3);
			pmFreeResult(result);
			__atomic_fetch_add(&crowd->good, 1, __ATOMIC_RELAXED);
		}
	}
	if (r >= 0)
		return;
	assert_true(is_loss(r));
	r = pmReconnectContext(pmWhichContext());
	assert_true(r >= 0 || r == -ETIMEDOUT);
}

static void *member(void *arg)
{
	struct crowd *crowd = arg;
	unsigned int seed = (unsigned int)(uintptr_t)&seed;
	int own = PM_ERR_NOCONTEXT;

	while (!__atomic_load_n(&crowd->stop, __ATOMIC_RELAXED)) {
		if (own < 0)
			own = pmNewContext(PM_CONTEXT_HOST, crowd->fake.spec);
		assert_true(own >= 0 || is_loss(own));
		if (own >= 0) {
			assert_int_equal(pmUseContext(own), 0);
			use_once(crowd, &seed);
		}
		assert_int_equal(pmUseContext(crowd->shared[rand_r(&seed) % NSHARED]), 0);
		use_once(crowd, &seed);
		if (own >= 0 && rand_r(&seed) % 64 == 0) {
			assert_int_equal(pmDestroyContext(own), 0);
			own = PM_ERR_NOCONTEXT;
		}
		/* Away for a while: a busy loop of failures would wear out the fake. */
		if (pmGetPMNSLocation() < 0)
			nanosleep(&(struct timespec){0, 20000000}, NULL);
	}
	if (own >= 0)
		pmDestroyContext(own);
	return NULL;
}

static void test_crowd(void **state)
{
	struct crowd *crowd = calloc(1, sizeof(*crowd));
	pthread_t threads[NTHREAD];
	const struct timespec pause = {0, 150000000};

	fake_start(&crowd->fake);
	for (int i = 0; i < NSHARED; i++)
		crowd->shared[i] = fake_context(&crowd->fake);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, member, crowd), 0);
	for (int i = 0; i < NRESTART; i++) {
		nanosleep(&pause, NULL);
		fake_stop(&crowd->fake);
		nanosleep(&pause, NULL);
		fake_restart(&crowd->fake);
	}
	nanosleep(&(struct timespec){1, 500000000}, NULL);
	__atomic_store_n(&crowd->stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	print_message("%u good fetches\n", crowd->good);
	assert_true(crowd->good > 100);
	for (int i = 0; i < NSHARED; i++)
		assert_int_equal(pmDestroyContext(crowd->shared[i]), 0);
	fake_stop(&crowd->fake);
	free(crowd);
}

static void *destroyer(void *arg)
{
	struct timespec pause = {0, 100000};

	nanosleep(&pause, NULL);
	assert_int_equal(pmDestroyContext(*(int *)arg), 0);
	return NULL;
}

/* Destroyed by one thread in the middle of another's requests. */
static void test_destroy_in_use(void **state)
{
	struct fake fake = {0};

	fake_start(&fake);
	for (int round = 0; round < 50; round++) {
		int handle = fake_context(&fake);
		pmID pmids[1] = {FAKE_LOAD};
		pthread_t thread;
		pmResult *result;
		int r;

		assert_int_equal(pthread_create(&thread, NULL, destroyer, &handle), 0);
		while ((r = pmFetch(1, pmids, &result)) >= 0)
			pmFreeResult(result);
		assert_int_equal(r, PM_ERR_NOCONTEXT);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	fake_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_handles),           cmocka_unit_test(test_modes),
	    cmocka_unit_test(test_current_of_thread), cmocka_unit_test(test_crowd),
	    cmocka_unit_test(test_destroy_in_use),
	};

	setenv("PMCD_RECONNECT_TIMEOUT", "1", 1);
	setenv("PMCD_REQUEST_TIMEOUT", "2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
