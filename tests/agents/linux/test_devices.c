/* devices - hardware of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ntape", NULL, "1"},
	    {"hinv.nfchost", NULL, "2"},
	    {"hinv.map.scsi", "scsi0:0:0:0", "sda"},
	    {"hinv.map.scsi", "scsi2:1:3:2", "st0"},
	    {"hinv.map.scsi", "scsi3:0:0:0", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_no_folders(void **state)
{
	static const struct expect table[] = {
	    {"hinv.ntape", NULL, "0"},
	    {"hinv.nfchost", NULL, "0"},
	    {"hinv.map.scsi", NULL, NULL},
	};

	agent_open("empty");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_old_kernel),
	    cmocka_unit_test(test_no_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
