/* netaddr - addresses of the interfaces of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.interface.hw_addr", "eth0", "02:00:00:00:00:11"},
	    {"network.interface.ipv6_addr", "eth0", "fe80::ffff:fe00:1/64"},
	    {"network.interface.ipv6_scope", "eth0", "Link"},
	    {"network.interface.ipv6_addr", "lo", "::1/128"},
	    {"network.interface.ipv6_scope", "lo", "Host"},
	    {"network.interface.ipv6_scope", "bond0", "Global"},
	    {"network.interface.ipv6_scope", "eth0.100", "Site"},
	    {"network.interface.inet_addr", NULL, NULL}, /* not of another root */
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.interface.ipv6_addr", "eth0", "fe80::ffff:fe00:1/64"},
	    {"network.interface.ipv6_scope", "eth0", "Unknown"},
	    {"network.interface.ipv6_addr", "lo", NULL},
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
