/* sysfs - events, and free memory broken up, of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"sysfs.kernel.uevent_seqnum", NULL, "819"},
	    {"sysfs.kernel.debug.extfrag_unusable", "node0", "3.369"},
	    {"sysfs.kernel.debug.extfrag_unusable", "node1", "8.256"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"sysfs.kernel.uevent_seqnum", NULL, NULL},
	    {"sysfs.kernel.debug.extfrag_unusable", "node0", "0.5"},
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
