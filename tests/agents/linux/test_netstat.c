/* netstat - what the kernel counts of TCP, IP and MPTCP of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.tcp.syncookiessent", NULL, "21474836480"},
	    {"network.tcp.prequeued", NULL, "21474836607"},
	    {"network.tcp.fastopenactivefail", NULL, "21474836564"},
	    {"network.tcp.tcploss", NULL, "21474836615"},
	    {"network.ip.cepkts", NULL, "21474836632"},
	    {"network.mptcp.rmaddr", NULL, NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_this_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.tcp.syncookiessent", NULL, "2000"},
	    {"network.tcp.fastopenactivefail", NULL, "2088"},
	    {"network.tcp.tcpfastopenactivefail", NULL, "2088"},
	    {"network.tcp.prequeued", NULL, NULL},
	    {"network.ip.inoctets", NULL, "2141"},
	    {"network.mptcp.rcvwndconflict", NULL, "2220"},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.ip.inoctets", NULL, "5"},
	    {"network.ip.outoctets", NULL, "7"},
	    {"network.tcp.timeouts", NULL, NULL},
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
