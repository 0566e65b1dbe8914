/* users - logins of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_three_logins(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.nusers", NULL, "3"},
	    {"kernel.all.nroots", NULL, "1"},
	    {"kernel.all.nsessions", NULL, "3"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_no_file(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.nusers", NULL, "0"},
	    {"kernel.all.nroots", NULL, "0"},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.all.nusers", NULL, "1"}, /* then a record that is cut off */
	    {"kernel.all.nroots", NULL, "0"},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_three_logins),
	    cmocka_unit_test(test_no_file),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
