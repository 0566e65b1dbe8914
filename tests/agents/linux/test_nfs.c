/* nfs - calls of NFS and RPC of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"nfs.client.calls", NULL, "1971"},
	    {"nfs.client.reqs", "null", "101"},
	    {"nfs3.client.reqs", "commit", "222"},
	    {"nfs4.client.calls", NULL, "18396"},
	    {"nfs4.client.reqs", "deallocate", "356"},
	    {"nfs4.server.calls", NULL, "52256"},
	    {"nfs4.server.reqs", "write_same", "771"},
	    {"rpc.client.rpccnt", NULL, "21"},
	    {"rpc.client.nettcpconn", NULL, "14"},
	    {"rpc.server.rpcbadclnt", NULL, "85"},
	    {"rpc.server.rcnocache", NULL, "33"},
	    {"rpc.server.fh_stale", NULL, "41"},
	    {"rpc.server.fh_lookup", NULL, "42"},
	    {"rpc.server.fh_anon", NULL, "43"},
	    {"rpc.server.fh_cached", NULL, NULL},
	    {"rpc.server.nettcpconn", NULL, "74"},
	    {"rpc.server.io_write", NULL, "52"},
	    {"rpc.server.th_cnt", NULL, "8"},
	    {"rpc.server.th_fullcnt", NULL, "54"},
	    {"rpc.server.ra_size", NULL, "32"},
	    {"rpc.server.ra_hits", NULL, "61"},
	    {"rpc.server.ra_misses", NULL, "62"},
	    {"nfs.server.threads.total", NULL, "7"},
	    {"nfs.server.threads.pools", NULL, "3"},
	    {"nfs.server.threads.requests", NULL, "111"},
	    {"nfs.server.threads.timedout", NULL, "444"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"nfs.client.calls", NULL, "5"},         {"nfs.client.reqs", "null", "5"},
	    {"nfs3.client.calls", NULL, NULL},       {"nfs4.client.calls", NULL, "15"},
	    {"nfs4.client.reqs", "read", "8"},       {"nfs4.server.calls", NULL, "0"},
	    {"rpc.client.netcnt", NULL, "1"},        {"rpc.client.netudpcnt", NULL, NULL},
	    {"rpc.server.fh_lookup", NULL, "2"},     {"rpc.server.fh_anon", NULL, NULL},
	    {"nfs.server.threads.total", NULL, "0"}, {"nfs.server.threads.pools", NULL, "1"},
	};

	agent_open("hostile");
	EXPECT(table);
}

static void test_no_module(void **state)
{
	static const struct expect table[] = {
	    {"nfs.client.calls", NULL, NULL},
	    {"rpc.server.ra_size", NULL, NULL},
	    {"nfs4.server.reqs", "access", NULL},
	};

	agent_open("6.18");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_no_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
