/* cpuinfo - kinds of processors of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_numbers_with_a_gap(void **state)
{
	static const struct expect table[] = {
	    {"hinv.cpu.clock", "cpu3", "3300.12"},
	    {"hinv.cpu.vendor", "cpu3", "GenuineIntel"},
	    {"hinv.cpu.model", "cpu0", "85"},
	    {"hinv.cpu.model_name", "cpu1", "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz"},
	    {"hinv.cpu.cache", "cpu0", "22528"},
	    {"hinv.cpu.bogomips", "cpu3", "4200.5"},
	    {"hinv.cpu.flags", "cpu0", "fpu vme de pse tsc"},
	    {"hinv.cpu.cache_alignment", "cpu1", "64"},
	    {"hinv.cpu.clock", "cpu2", NULL},
	};

	agent_open("4.19");
	EXPECT(table);
	assert_int_equal(agent_count("hinv.cpu.vendor"), 3);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"hinv.cpu.vendor", "cpu0", NULL},
	    {"hinv.cpu.model_name", "cpu0", ""},
	    {"hinv.cpu.clock", "cpu0", NULL},
	    {"hinv.cpu.cache", "cpu1", NULL},
	};

	agent_open("hostile");
	EXPECT(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers_with_a_gap),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
