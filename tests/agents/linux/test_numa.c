/* numa - memory of each node of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_two_nodes(void **state)
{
	static const struct expect table[] = {
	    {"mem.numa.util.total", "node0", "8157020"},
	    {"mem.numa.util.total", "node1", "8157021"},
	    {"mem.numa.util.mapped", "node1", "251514"},
	    {"mem.numa.util.hugepagesSurp", "node1", "1"},
	    {"mem.numa.util.hugepagesTotalBytes", "node0", "16777216"},
	    {"mem.numa.alloc.hit", "node1", "48926611"},
	    {"mem.numa.alloc.interleave_hit", "node0", "23021"},
	    {"mem.numa.util.slab", "node0", NULL},
	    {"mem.numa.max_bandwidth", NULL, NULL},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("mem.numa.util.free"), 2);
}

static void test_no_files(void **state)
{
	static const struct expect table[] = {
	    {"mem.numa.util.total", "node0", NULL},
	};

	agent_open("empty");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_nodes),
	    cmocka_unit_test(test_no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
