/* vfs - open files and locks of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"vfs.files.count", NULL, "827"},     {"vfs.files.free", NULL, "5"},
	    {"vfs.files.max", NULL, "2466170"},   {"vfs.inodes.free", NULL, "7"},
	    {"vfs.dentry.count", NULL, "698317"}, {"vfs.aio.count", NULL, "11"},
	    {"vfs.aio.max", NULL, "65536"},       {"vfs.locks.posix.read", NULL, "3"},
	    {"vfs.locks.posix.write", NULL, "2"}, {"vfs.locks.posix.count", NULL, "4"},
	    {"vfs.locks.flock.read", NULL, "1"},  {"vfs.locks.flock.write", NULL, "1"},
	    {"vfs.locks.lease.read", NULL, "2"},  {"vfs.locks.lease.count", NULL, "3"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"vfs.files.count", NULL, "12"},      {"vfs.files.free", NULL, NULL},
	    {"vfs.inodes.count", NULL, "-5"},     {"vfs.inodes.free", NULL, NULL},
	    {"vfs.dentry.count", NULL, NULL},     {"vfs.aio.count", NULL, NULL},
	    {"vfs.aio.max", NULL, NULL},          {"vfs.locks.posix.count", NULL, "1"},
	    {"vfs.locks.flock.count", NULL, "0"}, {"vfs.locks.lease.count", NULL, "1"},
	    {"vfs.locks.lease.read", NULL, "0"},
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
