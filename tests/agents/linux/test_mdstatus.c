/* mdstatus - whether disk arrays are whole, of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"disk.md.status", "md0", "1"},
	    {"disk.md.status", "md127", "0"},
	};

	agent_open("4.19");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
