/* test_progname - who we say we are: docs/spec/pmapi.md 22. */
#include <pcp/deprecated.h>

#include "pcp_test.h"

static void names(void **state)
{
	static const char path[] = "/a/b/prog";

	assert_string_equal(pmGetProgname(), "pcp");
	pmSetProgname(path);
	assert_ptr_equal(pmGetProgname(), path + 5); /* kept, not copied */
	assert_ptr_equal(pmProgname, path + 5);
	assert_int_equal(__pmSetProgname("other"), 0);
	assert_string_equal(pmGetProgname(), "other");
	pmSetProgname(NULL);
	assert_string_equal(pmGetProgname(), "pcp");
	__pmSetInternalState(PM_STATE_PMCS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
