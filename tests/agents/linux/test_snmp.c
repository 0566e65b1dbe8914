/* snmp - IP, ICMP, TCP and UDP of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.ip.forwarding", NULL, "8589934592"},
	    {"network.ip.fragcreates", NULL, "8589934610"},
	    {"network.icmp.inmsgs", NULL, "8589934611"},
	    {"network.tcp.maxconn", NULL, "8589934646"},
	    {"network.tcp.incsumerrors", NULL, "8589934657"},
	    {"network.udp.memerrors", NULL, NULL},
	    {"network.udplite.noports", NULL, "8589934667"},
	    {"network.icmpmsg.intype", "Type3", "8589934638"},
	    {"network.icmpmsg.outtype", "Type3", NULL},
	    {"network.icmpmsg.outtype", "Type11", "8589934642"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_this_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.ip.fragcreates", NULL, "1018"},
	    {"network.icmp.outaddrmaskreps", NULL, "1048"},
	    {"network.icmpmsg.outtype", "Type3", "1050"},
	    {"network.udp.recvbuferrors", NULL, "1070"},
	    {"network.udplite.memerrors", NULL, "1083"},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.ip.forwarding", NULL, "1"},        {"network.ip.defaultttl", NULL, NULL},
	    {"network.ip.inreceives", NULL, NULL},       {"network.tcp.rtomin", NULL, NULL},
	    {"network.tcp.activeopens", NULL, "6"},      {"network.icmp.inmsgs", NULL, "7"},
	    {"network.icmp.inerrors", NULL, NULL},       {"network.icmpmsg.intype", "Type3", "2"},
	    {"network.icmpmsg.intype", "Type256", NULL}, {"network.icmpmsg.intype", "Type8", NULL},
	    {"network.udplite.indatagrams", NULL, "5"},
	};

	agent_open("hostile");
	EXPECT(table);
}

static void test_no_file(void **state)
{
	static const struct expect table[] = {
	    {"network.ip.forwarding", NULL, NULL},
	    {"network.icmpmsg.intype", "Type3", NULL},
	};

	agent_open("empty");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_this_kernel),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
