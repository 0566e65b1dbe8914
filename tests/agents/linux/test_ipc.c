/* ipc - shared memory, queues and semaphores of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"ipc.shm.tot", NULL, "1536000"},       {"ipc.shm.rss", NULL, "4096"},
	    {"ipc.shm.swp", NULL, "8192"},          {"ipc.shm.used_ids", NULL, "3"},
	    {"ipc.shm.key", "7", "0xdeadbeef"},     {"ipc.shm.owner", "5", "root"},
	    {"ipc.shm.owner", "6", "1000"},         {"ipc.shm.perms", "5", "600"},
	    {"ipc.shm.status", "5", "dest"},        {"ipc.shm.status", "6", ""},
	    {"ipc.shm.status", "7", "dest locked"}, {"ipc.shm.nattch", "5", "2"},
	    {"ipc.shm.creator_pid", "6", "102"},    {"ipc.shm.last_access_pid", "5", "101"},
	    {"ipc.msg.tot_bytes", NULL, "200"},     {"ipc.msg.messages", "6", "5"},
	    {"ipc.msg.last_recv_pid", "5", "112"},  {"ipc.sem.used_sem", NULL, "2"},
	    {"ipc.sem.tot_sem", NULL, "7"},         {"ipc.sem.key", "6", "0xffffffff"},
	    {"ipc.sem.owner", "6", "daemon"},       {"ipc.sem.nsems", "5", "3"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"ipc.shm.used_ids", NULL, "3"},    {"ipc.shm.nattch", "5", NULL},
	    {"ipc.shm.owner", "7", "five"},     {"ipc.shm.status", "a/b", ""},
	    {"ipc.msg.used_queues", NULL, "1"}, {"ipc.msg.owner", "2", NULL},
	    {"ipc.sem.tot_sem", NULL, "15"},    {"ipc.sem.owner", "2", NULL},
	    {"ipc.sem.owner", "3", "1"},
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
