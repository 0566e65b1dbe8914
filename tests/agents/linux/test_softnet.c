/* softnet - packets by processor of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

/* The lines are those of the processors that are online: 0, 1 and 3. */
static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.softnet.processed", NULL, "6000"},
	    {"network.softnet.flow_limit_count", NULL, "24"},
	    {"network.softnet.percpu.processed", "cpu0", "1000"},
	    {"network.softnet.percpu.processed", "cpu2", NULL},
	    {"network.softnet.percpu.processed", "cpu3", "3000"},
	    {"network.softnet.percpu.cpu_collision", "cpu1", "4"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_this_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.softnet.processed", NULL, "271"},
	    {"network.softnet.dropped", NULL, "3"},
	    {"network.softnet.received_rps", NULL, "7"},
	    {"network.softnet.percpu.time_squeeze", "cpu1", "1"},
	    {"network.softnet.percpu.flow_limit_count", "cpu0", "7"},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.softnet.dropped", NULL, "2"},
	    {"network.softnet.processed", NULL, "2"},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_this_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
