/* swaps - swap devices of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_device_and_file(void **state)
{
	static const struct expect table[] = {
	    {"swapdev.length", "/dev/dm-1", "8388604"},
	    {"swapdev.free", "/dev/dm-1", "8386556"},
	    {"swapdev.priority", "/dev/dm-1", "-2"},
	    {"swapdev.maxswap", "/swap\\040file", "1048572"},
	    {"swapdev.vlength", "/swap\\040file", "0"},
	    {"swapdev.priority", "/swap\\040file", "5"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"swapdev.free", "/swap\\040file\\040(deleted)", "0"}, /* more used than there is */
	    {"swapdev.priority", "/swap\\040file\\040(deleted)", "-1"},
	    {"swapdev.length", "/dev/x", NULL},
	    {"swapdev.length", "/dev/y", "5"},
	    {"swapdev.free", "/dev/y", NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_device_and_file),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
