/* partitions - sizes of disks of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"disk.dev.capacity", "sda", "1000004"},
	    {"disk.partitions.capacity", "sda1", "1000005"},
	    {"disk.dm.capacity", "vg0-root", "1000015"},
	    {"disk.md.capacity", "md0", "1000017"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"disk.dev.capacity", "sda", "100"},
	    {"disk.dev.capacity", "sdb", NULL},
	    {"disk.dev.capacity", "sdc", NULL},
	    {"disk.dev.capacity", "nvme0n1", NULL},
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
