/*
 * The crowd and the collector of the tests: what it answers is known, and it comes back at once.
 * TSan looks at the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "calls.h"
#include "crowd.h"
#include "fake.h"

static struct fake fake;

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

static int ask(unsigned int which, bool own)
{
	if (which % 5 == 0)
		return change_profile();
	return which % 3 == 0 ? fetch_exactly() : calls[which % ncalls].call();
}

static void crash(void)
{
	fake_stop(&fake);
}

static void revive(void)
{
	fake_restart(&fake);
}

static void test_crashes(void **state)
{
	const struct crowd crowd = {.spec = fake.spec,
				    .crashes = 8,
				    .deadline_s = 120,
				    .ask = ask,
				    .crash = crash,
				    .revive = revive};

	crowd_run(&crowd);
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
