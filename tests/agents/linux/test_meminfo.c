/* meminfo - memory and swap of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"mem.physmem", NULL, "16314044"},
	    {"hinv.physmem", NULL, "15931"},
	    {"mem.freemem", NULL, "9174560"},
	    {"mem.util.used", NULL, "7139484"},
	    {"mem.util.other", NULL, "2315580"},
	    {"mem.util.cache_clean", NULL, "4619996"},
	    {"mem.util.available", NULL, "13987216"},
	    {"mem.util.active_anon", NULL, "1481320"},
	    {"mem.util.corrupthardware", NULL, "16"},
	    {"mem.util.directMap1G", NULL, NULL},
	    {"mem.util.hugepagesTotal", NULL, "16"},
	    {"mem.util.hugepagesTotalBytes", NULL, "33554432"},
	    {"mem.util.hugepagesSurpBytes", NULL, "4194304"},
	    {"hinv.hugepagesize", NULL, "2097152"},
	    {"swap.length", NULL, "8589930496"},
	    {"swap.used", NULL, "2097152"},
	    {"swap.free", NULL, "8587833344"},
	    {"mem.util.shared", NULL, NULL},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"mem.physmem", NULL, NULL},    {"mem.freemem", NULL, NULL}, /* does not fit 64 bits */
	    {"mem.util.used", NULL, NULL},  {"mem.util.cached", NULL, "5"},
	    {"mem.util.bufmem", NULL, "7"}, {"mem.util.dirty", NULL, NULL},
	    {"mem.util.slab", NULL, "9"}, /* no newline at the end */
	    {"swap.used", NULL, "0"},     /* more free than there is */
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
