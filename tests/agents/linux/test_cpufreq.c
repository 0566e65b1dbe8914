/* cpufreq - clock scaling and throttling of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_scaling(void **state)
{
	static const struct expect table[] = {
	    {"hinv.cpu.frequency_scaling.count", "cpu1", "3791000"},
	    {"hinv.cpu.frequency_scaling.time", "cpu1", "3301"},
	    {"hinv.cpu.frequency_scaling.max", "cpu3", "3700"},
	    {"hinv.cpu.frequency_scaling.min", "cpu3", "1000"},
	    {"hinv.cpu.frequency_scaling.max", "cpu2", NULL},
	    {"hinv.cpu.thermal_throttle.core.count", "cpu0", "10"},
	    {"hinv.cpu.thermal_throttle.core.time", "cpu1", "101"},
	    {"hinv.cpu.thermal_throttle.package.count", "cpu3", "23"},
	    {"hinv.cpu.thermal_throttle.package.time", "cpu3", "203"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_virtual_machine(void **state)
{
	static const struct expect table[] = {
	    {"hinv.cpu.frequency_scaling.count", NULL, NULL},
	    {"hinv.cpu.thermal_throttle.core.count", NULL, NULL},
	};

	agent_open("6.18");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scaling),
	    cmocka_unit_test(test_virtual_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
