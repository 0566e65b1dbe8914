/* zoneinfo - memory zones of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"mem.zoneinfo.free", "DMA::node0", "15876"},
	    {"mem.zoneinfo.high", "DMA::node0", "96"},
	    {"mem.zoneinfo.free", "Movable::node0", NULL}, /* has no memory */
	    {"mem.zoneinfo.nr_inactive_anon", "node0", "220000"},
	    {"mem.zoneinfo.nr_inactive_anon", "DMA::node0", NULL},
	    {"mem.zoneinfo.workingset_refault", "node0", "16968"},
	    {"mem.zoneinfo.nr_kernel_stack", "Normal::node0", "10704"},
	    {"mem.zoneinfo.nr_free_pages", "Normal::node0", "9158684"},
	    {"mem.zoneinfo.protection", "DMA::node0::lowmem_reserved1", "11856"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("mem.zoneinfo.protection"), 9);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"mem.zoneinfo.nr_dirty", "node0", "12"},
	    {"mem.zoneinfo.free", "DMA::node0", "4"},
	    {"mem.zoneinfo.min", "DMA::node0", NULL},
	    {"mem.zoneinfo.free", "Normal::node0", NULL},
	    {"mem.zoneinfo.protection", "DMA::node0::lowmem_reserved1", "20"},
	};

	agent_open("hostile");
	EXPECT(table);
	assert_int_equal(agent_count("mem.zoneinfo.protection"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
