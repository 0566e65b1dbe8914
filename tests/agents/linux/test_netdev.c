/* netdev - traffic of the interfaces of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ninterface", NULL, "5"},
	    {"network.interface.in.bytes", "eth0", "4294967299"},
	    {"network.interface.in.mcasts", "eth0", "6"},
	    {"network.interface.out.carrier", "eth0", "12"},
	    {"network.interface.collisions", "eth0", "11"},
	    {"network.interface.total.bytes", "eth0", "4294974299"},
	    {"network.interface.total.errors", "eth0", "9"},
	    {"network.interface.in.bytes", "bond0", "18446744073709551614"},
	    {"network.all.in.bytes", NULL, "4294967309"}, /* without lo and bond0 */
	    {"network.all.total.packets", NULL, "270"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.interface.in.bytes", "eth0", "1"},
	    {"network.interface.in.drops", "eth0", NULL},
	    {"network.interface.in.bytes", "eth1:1", "5"},
	    {"network.interface.in.packets", "lo", NULL},
	    {"network.interface.total.packets", "lo", "1"},
	    {"network.interface.in.bytes", "bond0", NULL},
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
