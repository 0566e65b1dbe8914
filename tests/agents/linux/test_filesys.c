/* filesys - mounts of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"hinv.nfilesys", NULL, "4"},
	    {"filesys.mountdir", "rootfs", "/"},
	    {"filesys.mountdir", "/dev/sda1", "/a b"},
	    {"filesys.readonly", "/dev/sda1", "1"},
	    {"filesys.readonly", "rootfs", "0"},
	    {"filesys.capacity", "/dev/gone", NULL},
	    {"filesys.mountdir", "/dev/gone", "/proc/nonexistent"},
	    {"filesys.mountdir", "/dev/loop0", NULL},
	    {"filesys.mountdir", "server:/export", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("filesys.capacity"), 3);
	assert_int_equal(agent_count("filesys.full"), 3);
	assert_int_equal(agent_count("tmpfs.used"), 1);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"hinv.nfilesys", NULL, "3"},
	    {"filesys.mountdir", "/dev/sdb1", "/a\\04"},
	    {"filesys.readonly", "/dev/sdd1", "1"},
	    {"filesys.mountdir", "/dev/sdc1", NULL},
	    {"filesys.mountdir", "/dev/sde1", NULL},
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
