/* zram - compressed disks of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"zram.read", "zram0", "3"},
	    {"zram.total", "zram0", "7"},
	    {"zram.write_bytes", "zram0", "16"},
	    {"zram.capacity", "zram0", "2097152"},
	    {"zram.io_stat.failed.writes", "zram0", "12"},
	    {"zram.io_stat.notify_free", "zram0", "14"},
	    {"zram.mm_stat.data_size.original", "zram0", "35844"},
	    {"zram.mm_stat.mem.limit", "zram0", "8"},
	    {"zram.mm_stat.pages.same", "zram0", "1204"},
	    {"zram.mm_stat.pages.huge", "zram0", "36"},
	    {"zram.bd_stat.count", "zram0", "404"},
	    {"zram.bd_stat.writes", "zram0", "412"},
	    {"zram.flush", "zram0", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

/* Before 4.18 the last column was not there. */
static void test_fewer_columns(void **state)
{
	static const struct expect table[] = {
	    {"zram.mm_stat.data_size.original", "zram1", "35844"},
	    {"zram.mm_stat.pages.same", "zram1", "1204"},
	    {"zram.mm_stat.pages.huge", "zram1", NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

static void test_no_backing_device(void **state)
{
	static const struct expect table[] = {
	    {"zram.mm_stat.data_size.original", "zram0", "0"},
	    {"zram.bd_stat.count", "zram0", NULL},
	    {"zram.flush", "zram0", "0"},
	};

	agent_open("6.18");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_fewer_columns),
	    cmocka_unit_test(test_no_backing_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
