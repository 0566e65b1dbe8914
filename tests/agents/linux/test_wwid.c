/* wwid - disks by world-wide name of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

/* sda and sdb are one disk. */
static void test_two_paths(void **state)
{
	static const struct expect table[] = {
	    {"disk.wwid.scsi_paths", "35000c500a0b1c2d3", "sda sdb"},
	    {"disk.wwid.read", "35000c500a0b1c2d3", "18001"},
	    {"disk.wwid.total_bytes", "35000c500a0b1c2d3", "1350006"},
	    {"disk.wwid.inflight", "35000c500a0b1c2d3", "3"},
	    {"disk.wwid.discard_bytes", "35000c500a0b1c2d3", "2800"},
	    {"disk.wwid.scheduler", "35000c500a0b1c2d3", "cfq"},
	    {"disk.wwid.capacity", "35000c500a0b1c2d3", "488386584"},
	    {"disk.wwid.scsi_paths", "20025388b710116a1", "nvme0n1"},
	    {"disk.wwid.read", "sdc", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
