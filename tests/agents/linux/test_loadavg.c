/* loadavg, uptime - of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.load", "1 minute", "1.25"},  {"kernel.all.load", "5 minute", "0.75"},
	    {"kernel.all.load", "15 minute", "12.5"}, {"kernel.all.runnable", NULL, "3"},
	    {"kernel.all.nprocs", NULL, "412"},       {"kernel.all.lastpid", NULL, "9411"},
	    {"kernel.all.uptime", NULL, "36991.8"},   {"kernel.all.idletime", NULL, "110975"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.load", "1 minute", NULL},
	    {"kernel.all.runnable", NULL, NULL},
	    {"kernel.all.uptime", NULL, "12.5"},
	    {"kernel.all.idletime", NULL, NULL},
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
