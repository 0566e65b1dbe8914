/* sockstat - sockets by protocol of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.sockstat.total", NULL, "19"},
	    {"network.sockstat.tcp.tw", NULL, "4"},
	    {"network.sockstat.tcp.mem", NULL, "222"},
	    {"network.sockstat.udp.mem", NULL, "7"},
	    {"network.sockstat.frag.memory", NULL, "11"},
	    {"network.sockstat.tcp6.inuse", NULL, "1"},
	    {"network.sockstat.frag6.inuse", NULL, "5"},
	    {"network.sockstat.frag6.memory", NULL, "6"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.sockstat.tcp.inuse", NULL, "2"},
	    {"network.sockstat.tcp.orphan", NULL, NULL},
	    {"network.sockstat.udp.inuse", NULL, "-1"},
	    {"network.sockstat.udp.mem", NULL, NULL},
	    {"network.sockstat.total", NULL, NULL},
	    {"network.sockstat.frag.memory", NULL, "4"},
	    {"network.sockstat.tcp6.inuse", NULL, NULL},
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
