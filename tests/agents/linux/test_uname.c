/* uname - names of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.uname.release", NULL, "4.19.0-27-amd64"},
	    {"kernel.uname.sysname", NULL, "Linux"},
	    {"kernel.uname.nodename", NULL, "old.example.org"},
	    {"kernel.uname.version", NULL, "#1 SMP Debian 4.19.316-1 (2024-06-25)"},
	    {"kernel.uname.machine", NULL, NULL}, /* no file, and not this machine's */
	    {"kernel.uname.distro", NULL, "Debian 10.13"},
	    {"pmda.uname", NULL,
	     "Linux old.example.org 4.19.0-27-amd64 #1 SMP Debian 4.19.316-1 (2024-06-25) unknown"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_new_kernel(void **state)
{
	static const struct expect table[] = {
	    {"kernel.uname.machine", NULL, "x86_64"},
	    {"hinv.machine", NULL, "x86_64"},
	    {"pmda.version", NULL, "6.0.3"},
	};

	agent_open("6.18");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"kernel.uname.release", NULL, NULL},
	    {"kernel.uname.nodename", NULL, "a host with blanks"},
	    {"kernel.uname.distro", NULL, "\"Half"},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_new_kernel),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
