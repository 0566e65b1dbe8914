/* snmp6 - IP and ICMP of version 6 of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.ip6.inreceives", NULL, "30064771072"},
	    {"network.icmp6.outmldv2reports", NULL, "30064771140"},
	    {"network.udplite6.incsumerrors", NULL, "30064771160"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.ip6.inreceives", NULL, NULL},
	    {"network.ip6.outrequests", NULL, "9"},
	    {"network.udp6.indatagrams", NULL, NULL},
	    {"network.udp6.noports", NULL, NULL},
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
