/* pressure - stalls of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_new_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.pressure.cpu.some.avg", "10 second", "1.29"},
	    {"kernel.all.pressure.cpu.some.total", NULL, "63509357"},
	    {"kernel.all.pressure.io.full.avg", "5 minute", "0.27"},
	    {"kernel.all.pressure.io.full.total", NULL, "16839971"},
	    {"kernel.all.pressure.memory.full.total", NULL, "3879032"},
	    {"kernel.all.pressure.irq.full.total", NULL, NULL},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_kernel_without_it(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.pressure.cpu.some.avg", NULL, NULL},
	    {"kernel.all.pressure.io.some.total", NULL, NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.pressure.cpu.some.avg", "10 second", "1.5"},
	    {"kernel.all.pressure.cpu.some.avg", "1 minute", NULL},
	    {"kernel.all.pressure.cpu.some.total", NULL, NULL},
	    {"kernel.all.pressure.io.some.avg", "10 second", "99.99"},
	    {"kernel.all.pressure.io.some.total", NULL, "5"},
	    {"kernel.all.pressure.io.full.total", NULL, NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_kernel),
	    cmocka_unit_test(test_kernel_without_it),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
