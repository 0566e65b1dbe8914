/* slabinfo - object caches of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"mem.slabinfo.objects.active", "ext4_inode_cache", "88610"},
	    {"mem.slabinfo.objects.size", "kmalloc-8k", "8192"},
	    {"mem.slabinfo.slabs.total", "ext4_inode_cache", "3066"},
	    {"mem.slabinfo.slabs.total_size", "ext4_inode_cache", "100123188"},
	    {"mem.slabinfo.slabs.objects_per_slab", "kmalloc-8k", "4"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("mem.slabinfo.slabs.active"), 2);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"mem.slabinfo.objects.active", "too_short", "1"},
	    {"mem.slabinfo.slabs.total", "no_slabdata", NULL},
	    {"mem.slabinfo.slabs.total_size", "no_slabdata", NULL}, /* no objects in a slab */
	    {"mem.slabinfo.objects.active", "ok", "10"},
	    {"mem.slabinfo.slabs.total", "ok", "4"},
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
