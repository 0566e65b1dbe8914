/* interrupts - hardware and soft interrupts of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_missing_column(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.interrupts.total", "0", "29"},
	    {"kernel.all.interrupts.total", "125", "287455"},
	    {"kernel.all.interrupts.total", "LOC", "4011000000"},
	    {"kernel.all.interrupts.total", "ERR", NULL},
	    {"kernel.all.interrupts.errors", NULL, "3"},
	    {"kernel.all.interrupts.missed", NULL, "4"},
	    {"kernel.percpu.intr", "cpu0", "5281488"},
	    {"kernel.percpu.intr", "cpu2", NULL},
	    {"kernel.percpu.intr", "cpu3", "4000002011"},
	    {"kernel.percpu.interrupts", "125::cpu3", "2002"},
	    {"kernel.percpu.interrupts", "125::cpu2", NULL},
	    {"kernel.all.softirqs.total", "TIMER", "6000005"},
	    {"kernel.percpu.sirq", "cpu2", "5"},
	    {"kernel.percpu.softirqs", "NET_TX::cpu3", "30"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("kernel.percpu.interrupts"), 15);
	assert_int_equal(agent_count("kernel.percpu.softirqs"), 12);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.interrupts.total", "1", "5"},
	    {"kernel.all.interrupts.total", "3", "3"}, /* the first line of that name */
	    {"kernel.all.interrupts.errors", NULL, NULL},
	    {"kernel.all.interrupts.missed", NULL, NULL},
	    {"kernel.percpu.interrupts", "3::cpu1", "2"},
	    {"kernel.all.softirqs.total", NULL, NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_missing_column),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
