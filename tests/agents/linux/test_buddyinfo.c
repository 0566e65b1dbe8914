/* buddyinfo - free blocks of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"mem.buddyinfo.pages", "Normal::order3::node0", "36"},
	    {"mem.buddyinfo.total", "Normal::order3::node0", "1152"},
	    {"mem.buddyinfo.pages", "Normal::order10::node1", "0"},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("mem.buddyinfo.pages"), 33);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"mem.buddyinfo.pages", "DMA::order1::node0", "2"},
	};

	agent_open("hostile");
	EXPECT(table);
	assert_int_equal(agent_count("mem.buddyinfo.pages"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
