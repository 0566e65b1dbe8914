/*
 * Sixteen threads, each with a context of its own and all with some in common, while the collector
 * dies and comes back: every call gives what is right, or says that the connection or the context
 * is gone. TSan looks at the rest, and an alarm at deadlocks.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "calls.h"
#include "fake.h"
#include "libbase/cleanup.h"

enum {
	NTHREAD = 16,
	NSHARED = 4,
	NCRASH = 8,
	CALLS_EACH = 150,
	CALLS_BEFORE = 300,
	DEADLINE_S = 120
};

static struct fake fake;
static _Atomic int shared[NSHARED];
static atomic_int done;  /* calls */
static atomic_int right; /* those that gave an answer */
static atomic_int wrong; /* results that may not be */
static atomic_bool stopping;

/* What a call may say when the collector is gone, or another thread took the context away. */
static bool is_gone(int r)
{
	static const int gone[] = {PM_ERR_IPC,    PM_ERR_TIMEOUT,  PM_ERR_NOCONTEXT, PM_ERR_NOPMNS,
				   -ECONNREFUSED, -ENOENT,         -ECONNRESET,      -ETIMEDOUT,
				   -EPIPE,        PM_ERR_CONNLIMIT};

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		if (r == gone[i])
			return true;
	}
	return false;
}

/* The values that the fake has, and no others. */
static int fetch_exactly(void)
{
	pmID pmids[2] = {FAKE_COUNT, FAKE_NAME};
	pmHighResResult *result;
	int r = pmFetchHighRes(2, pmids, &result);

	if (r < 0)
		return r;
	if (result->vset[0]->numval != 1 || result->vset[0]->vlist[0].value.lval != 7 ||
	    result->vset[1]->numval != 1 ||
	    strcmp(result->vset[1]->vlist[0].value.pval->vbuf, "seven") != 0)
		r = PM_ERR_VALUE;
	pmFreeHighResResult(result);
	return r;
}

static int change_profile(void)
{
	int list[2] = {1, 2};
	int r = pmAddProfile(FAKE_INDOM, 2, list);

	return r < 0 ? r : pmDelProfile(FAKE_INDOM, 1, list);
}

static void judge(int r)
{
	atomic_fetch_add(&done, 1);
	if (r >= 0)
		atomic_fetch_add(&right, 1);
	else if (!is_gone(r))
		atomic_store(&wrong, r);
}

/* The thread's own context again: another connection, or another context. */
static void renew(int *own, unsigned int turn)
{
	if (turn % 2 == 0 && pmReconnectContext(*own) == *own)
		return;
	pmDestroyContext(*own);
	*own = pmNewContext(PM_CONTEXT_HOST, fake.spec);
	if (*own < 0 && !is_gone(*own))
		atomic_store(&wrong, *own);
}

/* Takes a shared context away from the others, who may be in it, and gives them another. */
static void replace_shared(unsigned int i)
{
	int fresh = pmNewContext(PM_CONTEXT_HOST, fake.spec);

	if (fresh >= 0)
		pmDestroyContext(atomic_exchange(&shared[i % NSHARED], fresh));
}

static void use(int ctx, unsigned int seed)
{
	int r = pmUseContext(ctx);

	if (r == 0 && seed % 5 == 0)
		r = change_profile();
	else if (r == 0 && seed % 3 == 0)
		r = fetch_exactly();
	else if (r == 0)
		r = calls[seed % ncalls].call();
	judge(r);
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg * 7919 + 1;
	int own = pmNewContext(PM_CONTEXT_HOST, fake.spec);

	for (unsigned int turn = 0; turn < CALLS_EACH || !atomic_load(&stopping); turn++) {
		seed = seed * 1103515245 + 12345;
		use(own, seed >> 8);
		if (pmGetPMNSLocation() < 0)
			renew(&own, turn);
		use(atomic_load(&shared[(seed >> 4) % NSHARED]), seed >> 16);
		if (pmGetPMNSLocation() < 0 || seed >> 25 == 0)
			replace_shared(seed >> 4);
	}
	pmDestroyContext(own);
	return NULL;
}

static void wait_for_calls(int more)
{
	int until = atomic_load(&done) + more;

	while (atomic_load(&done) < until)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void test_crashes(void **state)
{
	pthread_t threads[NTHREAD];

	alarm(DEADLINE_S);
	for (int i = 0; i < NSHARED; i++)
		shared[i] = fake_context(&fake);
	for (size_t i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
	for (int i = 0; i < NCRASH; i++) {
		wait_for_calls(CALLS_BEFORE);
		fake_stop(&fake);
		wait_for_calls(NTHREAD);
		fake_restart(&fake);
	}
	wait_for_calls(CALLS_BEFORE);
	atomic_store(&stopping, true);
	for (size_t i = 0; i < NTHREAD; i++)
		pthread_join(threads[i], NULL);
	alarm(0);
	for (int i = 0; i < NSHARED; i++)
		pmDestroyContext(shared[i]);
	print_message("%d calls, %d answered\n", done, right);
	assert_int_equal(wrong, 0);
	assert_true(right > CALLS_BEFORE);
}

static int group_setup(void **state)
{
	setenv("PMCD_RECONNECT_TIMEOUT", "1", 1);
	setenv("PMCD_REQUEST_TIMEOUT", "20", 1);
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_crashes)};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
