/* numbers - files of one number of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.entropy.avail", NULL, "3712"},
	    {"kernel.all.entropy.poolsize", NULL, "4096"},
	    {"kernel.all.pid_max", NULL, "32768"},
	    {"kernel.all.nptys", NULL, "5"},
	    {"mem.ksm.pages_sharing", NULL, "900"},
	    {"mem.ksm.run_state", NULL, "1"},
	    {"mem.ksm.sleep_time", NULL, "20"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.pid_max", NULL, NULL},
	    {"kernel.all.nptys", NULL, NULL},
	    {"mem.ksm.full_scans", NULL, NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
