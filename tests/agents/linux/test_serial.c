/* serial - serial lines of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"tty.serial.tx", "0", "218"},     {"tty.serial.rx", "2", "8"},
	    {"tty.serial.frame", "0", "5"},    {"tty.serial.parity", "0", "6"},
	    {"tty.serial.brk", "0", "3"},      {"tty.serial.overrun", "0", "4"},
	    {"tty.serial.overrun", "12", "0"}, {"tty.serial.irq", "2", "17"},
	    {"tty.serial.tx", "1", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"tty.serial.tx", "0", "7"},    {"tty.serial.rx", "0", "0"},
	    {"tty.serial.frame", "0", "0"}, {"tty.serial.tx", "1", NULL},
	    {"tty.serial.tx", "4", NULL},
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
