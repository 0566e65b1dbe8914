/* disk_sysfs - schedulers and names of disks of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"disk.dev.scheduler", "sda", "cfq"},
	    {"disk.dev.scheduler", "nvme0n1", "none"},
	    {"disk.dev.scheduler", "sdc", "unknown"},
	    {"hinv.map.scsi_id", "sda", "35000c500a0b1c2d3"},
	    {"hinv.map.scsi_id", "nvme0n1", "20025388b710116a1"},
	    {"hinv.map.scsi_id", "sdc", "unknown"},
	};

	agent_open("4.19");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
