/* cpus - processors and nodes of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_offline_processor_and_two_nodes(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ncpu", NULL, "3"},           {"hinv.nnode", NULL, "2"},
	    {"hinv.cpu.online", "cpu1", "1"},   {"hinv.cpu.online", "cpu2", "0"},
	    {"hinv.map.cpu_node", "cpu1", "0"}, {"hinv.map.cpu_node", "cpu3", "1"},
	    {"hinv.map.cpu_num", "cpu3", "3"},  {"hinv.node.online", "node1", "1"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("hinv.cpu.online"), 4);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ncpu", NULL, "2"},
	    {"hinv.nnode", NULL, "1"},
	    {"hinv.cpu.online", "cpu1", "1"},
	};

	agent_open("hostile");
	EXPECT(table);
}

static void test_no_files(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ncpu", NULL, "0"},
	    {"hinv.nnode", NULL, "1"},
	    {"hinv.node.online", "node0", "1"},
	};

	agent_open("empty");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_offline_processor_and_two_nodes),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
