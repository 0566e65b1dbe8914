/* test_missing - what is not there says so. */
#include "pcp_test.h"

static void answers(void **state)
{
	assert_int_equal(pmLoadDerivedConfig("file"), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
