/* sockets - sockets by state of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

/* The fixture has as many sockets in a state as its number says, up to 13. */
static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"network.tcpconn.established", NULL, "1"},
	    {"network.tcpconn.syn_recv", NULL, "3"},
	    {"network.tcpconn.time_wait", NULL, "6"},
	    {"network.tcpconn.listen", NULL, "10"},
	    {"network.tcpconn.closing", NULL, "11"},
	    {"network.tcpconn6.established", NULL, "4"},
	    {"network.tcpconn6.listen", NULL, "0"},
	    {"network.udpconn.established", NULL, "3"},
	    {"network.udpconn.listen", NULL, "5"},
	    {"network.udpconn6.listen", NULL, "1"},
	    {"network.rawconn.count", NULL, "7"},
	    {"network.rawconn6.count", NULL, "3"},
	    {"network.unix.datagram.count", NULL, "16"},
	    {"network.unix.stream.established", NULL, "8"},
	    {"network.unix.stream.listen", NULL, "3"},
	    {"network.unix.stream.count", NULL, "31"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"network.tcpconn.established", NULL, "1"}, {"network.tcpconn.listen", NULL, "1"},
	    {"network.tcpconn.closing", NULL, "0"},     {"network.tcpconn6.listen", NULL, NULL},
	    {"network.unix.stream.count", NULL, "2"},   {"network.unix.stream.listen", NULL, "1"},
	    {"network.unix.datagram.count", NULL, "0"},
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
