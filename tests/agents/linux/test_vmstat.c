/* vmstat - the memory manager's counters of recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent_test.h"

static void test_old_kernel(void **state)
{
	static const struct expect table[] = {
	    {"mem.vmstat.pgpgin", NULL, "5171262"},
	    {"mem.vmstat.nr_slab", NULL, "105428"},
	    {"mem.vmstat.thp_split", NULL, "33"},
	    {"mem.vmstat.workingset_refault", NULL, "4242"},
	    {"mem.vmstat.pgsteal_total", NULL, "1234"},
	    {"mem.vmstat.pgscan_direct_total", NULL, "345"},
	    {"mem.vmstat.oom_kill", NULL, "1"},
	    {"mem.vmstat.nr_file_pages", NULL, NULL},
	    {"swap.pagesin", NULL, "256"},
	    {"swap.pagesout", NULL, "512"},
	    {"swap.in", NULL, "error -12350"},
	    {"swap.out", NULL, "error -12350"},
	};

	agent_open("4.19");
	EXPECT(table);
}

static void test_hostile(void **state)
{
	static const struct expect table[] = {
	    {"mem.vmstat.nr_dirty", NULL, "1"},
	    {"mem.vmstat.pgpgin", NULL, NULL},
	    {"mem.vmstat.nr_free_pages", NULL, "1"},
	    {"mem.vmstat.pgsteal_total", NULL, "15"}, /* of the zones */
	    {"mem.vmstat.pswpin", NULL, "4294967297"},
	    {"swap.pagesin", NULL, "1"}, /* the low half */
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
