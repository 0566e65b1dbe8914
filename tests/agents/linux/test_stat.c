/* stat - processor time and the kernel's counters of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.cpu.user", NULL, "47050"},
	    {"kernel.all.cpu.nice", NULL, "3560"},
	    {"kernel.all.cpu.intr", NULL, "2890"},
	    {"kernel.all.cpu.guest", NULL, "10000"},
	    {"kernel.all.cpu.vuser", NULL, "37050"},
	    {"kernel.all.cpu.vnice", NULL, "3000"},
	    {"kernel.percpu.cpu.user", "cpu0", "17050"},
	    {"kernel.percpu.cpu.user", "cpu2", NULL}, /* offline */
	    {"kernel.percpu.cpu.user", "cpu3", "20000"},
	    {"kernel.percpu.cpu.steal", "cpu1", "110"},
	    {"kernel.pernode.cpu.user", "node0", "27050"},
	    {"kernel.pernode.cpu.user", "node1", "20000"},
	    {"kernel.pernode.cpu.wait.total", "node0", "180600"},
	    {"kernel.all.intr", NULL, "1462898"},
	    {"kernel.all.pswitch", NULL, "2918795"},
	    {"kernel.all.sysfork", NULL, "9411"},
	    {"kernel.all.running", NULL, "3"},
	    {"kernel.all.blocked", NULL, "1"},
	    {"kernel.all.boottime", NULL, "1600000000"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("kernel.percpu.cpu.user"), 3);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.cpu.user", NULL, NULL}, /* does not fit 64 bits */
	    {"kernel.all.cpu.nice", NULL, "10"},
	    {"kernel.all.cpu.vuser", NULL, NULL},
	    {"kernel.all.cpu.idle", NULL, NULL}, /* the line ends before it */
	    {"kernel.percpu.cpu.user", "cpu1", "10"},
	    {"kernel.percpu.cpu.vuser", "cpu1", "0"}, /* more guest time than user time */
	    {"kernel.percpu.cpu.user", "cpu0", NULL},
	    {"kernel.all.intr", NULL, NULL},
	    {"kernel.all.pswitch", NULL, "18446744073709551614"},
	    {"kernel.all.boottime", NULL, NULL},
	    {"kernel.all.sysfork", NULL, "7"},
	    {"kernel.all.running", NULL, NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

static void test_no_file(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.cpu.user", NULL, NULL},
	    {"kernel.percpu.cpu.user", NULL, NULL},
	    {"kernel.all.intr", NULL, NULL},
	};

	agent_open("empty");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
