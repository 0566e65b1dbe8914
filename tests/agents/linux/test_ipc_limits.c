/* ipc_limits - limits of shared memory, queues and semaphores of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"ipc.sem.max_perid", NULL, "32000"},      {"ipc.sem.max_sem", NULL, "1024000000"},
	    {"ipc.sem.max_ops", NULL, "500"},          {"ipc.sem.sz_semundo", NULL, "20"},
	    {"ipc.msg.sz_pool", NULL, "512000"},       {"ipc.msg.max_msgsz", NULL, "8192"},
	    {"ipc.shm.max_segsz", NULL, "4278190079"}, {"ipc.shm.max_segproc", NULL, "4096"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"ipc.sem.max_perid", NULL, "250"}, {"ipc.sem.max_ops", NULL, NULL},
	    {"ipc.sem.max_semid", NULL, NULL},  {"ipc.msg.max_msgsz", NULL, NULL},
	    {"ipc.shm.max_segsz", NULL, NULL},  {"ipc.shm.min_segsz", NULL, "1"},
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
