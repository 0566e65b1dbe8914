/* linkstate - settings of the interfaces of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.interface.mtu", "bond0", "9000"},
	    {"network.interface.speed", "eth0", "119.209"},
	    {"network.interface.baudrate", "eth0", "125000000"},
	    {"network.interface.speed", "lo", NULL},
	    {"network.interface.duplex", "eth0", "2"},
	    {"network.interface.duplex", "bond0", "1"},
	    {"network.interface.duplex", "lo", NULL},
	    {"network.interface.up", "eth0", "1"},
	    {"network.interface.up", "wlan0", "0"},
	    {"network.interface.running", "lo", "1"},
	    {"network.interface.running", "bond0", "0"},
	    {"network.interface.running", "wlan0", "0"},
	    {"network.interface.wireless", "wlan0", "1"},
	    {"network.interface.wireless", "eth0", "0"},
	    {"network.interface.type", "lo", "772"},
	    {"network.interface.virtual", "bond0", "1"},
	    {"network.interface.virtual", "eth0", "0"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_no_folders(void **state)
{
	static const struct expect table[] = {
	    {"network.interface.mtu", "eth0", NULL},
	    {"network.interface.up", "eth0", "0"},
	    {"network.interface.speed", "eth0", NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_no_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
