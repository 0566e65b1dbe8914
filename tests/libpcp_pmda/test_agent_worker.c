/* agent_worker, agent_slow - refreshes that take long or hang: what a fetch waits for, and gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libpcp_pmda/agent_worker.h"

#include "pond.h"

static pmdaInterface dispatch;

static int open_pond(void **state)
{
	pond_open(&pond, &dispatch);
	return dispatch.status;
}

static unsigned int now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned int)(ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
}

static int fish(void)
{
	return pond_fetch(&dispatch, 4, 0);
}

/* Fetches until one gets this many fish; the machine may be slow. */
static void await_fish(unsigned int n)
{
	for (int i = 0; i < 6000; i++, usleep(10000))
		if (fish() == 1 && pond_atom(0, PM_TYPE_U32).ul == n)
			return;
	fail_msg("never %u fish", n);
}

static uint64_t own(unsigned int item)
{
	pond_fetch(&dispatch, AGENT_SELF, item);
	return pond_atom(4, PM_TYPE_U64).ull;
}

static void test_none_then_old_then_new(void **state)
{
	unsigned int start = now_ms();

	assert_int_equal(fish(), PM_ERR_AGAIN); /* nothing to serve as yet */
	assert_in_range(now_ms() - start, 15, WORKER_HANG_MS);
	start = now_ms();
	for (int i = 0; i < 75; i++)
		assert_int_equal(fish(), PM_ERR_AGAIN);
	assert_in_range(now_ms() - start, 0, 1000); /* who hangs is waited for once, for 20 ms */
	pond_let_go();
	await_fish(1);
	assert_true(own(2) >= 76);   /* refresh.stale */
	assert_int_equal(fish(), 1); /* another one hangs now: the old value is served */
	pond_let_go();
}

static void test_others_are_not_held_up(void **state)
{
	pmID pmids[] = {pmID_build(400, 4, 0), pmID_build(400, 3, 2)};
	unsigned int start = now_ms();
	pmResult *result;

	assert_int_equal(dispatch.version.four.fetch(2, pmids, &result, dispatch.version.four.ext),
			 0);
	assert_int_equal(result->vset[0]->numval, PM_ERR_AGAIN);
	assert_int_equal(result->vset[1]->numval, 1);
	assert_in_range(now_ms() - start, 0, WORKER_HANG_MS);
	pond_let_go();
	await_fish(1);
	pond_let_go();
}

static void test_hang_is_left_behind(void **state)
{
	assert_int_equal(fish(), PM_ERR_AGAIN);
	usleep((WORKER_HANG_MS + 100) * 1000);
	await_fish(0);            /* another worker, which leaves the well alone */
	assert_true(own(6) == 1); /* refresh.hangs */
	pond_let_go();            /* the first one comes back */
	usleep(100000);
	pond_let_go();
	await_fish(1); /* and the well is asked again */
	pond_let_go();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_none_then_old_then_new, open_pond),
	    cmocka_unit_test_setup(test_others_are_not_held_up, open_pond),
	    cmocka_unit_test_setup(test_hang_is_left_behind, open_pond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
