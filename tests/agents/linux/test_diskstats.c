/* diskstats - input and output of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ndisk", NULL, "13"},
	    {"disk.dev.read", "sda", "18000"},
	    {"disk.dev.total", "sda", "44000"},
	    {"disk.dev.read_bytes", "sda", "450000"},
	    {"disk.dev.total_bytes", "sda", "1350002"},
	    {"disk.dev.inflight", "sda", "3"},
	    {"disk.dev.discard", "sda", "7"},
	    {"disk.dev.flush", "sda", NULL}, /* since 5.5 */
	    {"disk.dev.read", "sr0", NULL},
	    {"disk.dev.avactive", "sdb", "4294967295"},
	    {"disk.dev.read", "cciss/c0d0", "4"},
	    {"disk.partitions.read", "sda1", "17000"},
	    {"disk.partitions.read", "nvme0n1p1", "3000"},
	    {"disk.partitions.read", "sda", NULL},
	    {"disk.dm.read", "vg0-root", "21000"},
	    {"disk.dm.read_bytes", "vg0-swap", "1024"},
	    {"hinv.map.dmname", "vg0-swap", "dm-1"},
	    {"disk.md.write", "md127", "2"},
	    {"hinv.map.mdname", "md0", "md0"},
	    {"disk.all.read", NULL, "22031"},
	    {"disk.all.inflight", NULL, "4"},
	    {"disk.all.flush", NULL, NULL},
	    {"disk.all.avactive", NULL, "4295029315"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_new_kernel(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ndisk", NULL, "1"},
	    {"disk.dm.read", NULL, NULL},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"disk.dev.read", "sda", "1"}, /* the first line of that name */
	    {"disk.dev.write", "sda", NULL},
	    {"disk.dev.read", "sdb", NULL},
	    {"disk.dev.read", "sdc", NULL}, /* all ones is absent */
	    {"disk.dev.blkread", "sdc", "18446744073709551614"},
	    {"disk.dev.total", "nvme0n1", "8589934592"},
	    {"disk.dev.avactive", "nvme0n1", "1"},  /* cut to 32 bits, as a counter wraps */
	    {"disk.partitions.read", "sda1", "11"}, /* four columns */
	    {"disk.partitions.blkread", "sda1", "22"},
	    {"disk.partitions.write", "sda1", "33"},
	    {"disk.partitions.blkwrite", "sda1", "44"},
	    {"disk.partitions.read_merge", "sda1", NULL},
	    {"disk.dm.read", "dm-7", "1"},
	    {"disk.dev.read", "md", "1"}, /* no number, no array */
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_new_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
