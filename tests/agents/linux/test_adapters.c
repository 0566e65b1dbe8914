/* adapters - tape drives and Fibre Channel adapters of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"tape.dev.in_flight", "st0", "3"},       {"tape.dev.io_ns", "st0", "1001"},
	    {"tape.dev.write_ns", "st0", "1009"},     {"tape.dev.in_flight", "nst0", NULL},
	    {"fchost.in.frames", "host5", "256"},     {"fchost.out.frames", "host5", "257"},
	    {"fchost.in.bytes", "host5", "1032"},     {"fchost.out.bytes", "host6", "2060"},
	    {"fchost.error_frames", "host5", "262"},  {"fchost.error_frames", "host6", NULL},
	    {"fchost.dumped_frames", "host6", "519"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"tape.dev.io_ns", "st0", NULL},
	    {"tape.dev.io_ns", "st", NULL},
	    {"fchost.in.bytes", "host0", NULL},
	    {"fchost.out.frames", "host0", NULL},
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
