/* test_missing - what is not there says so. */
#include "pcp_test.h"

static void finds_nobody(void **state)
{
	char **urls = NULL;

	assert_int_equal(pmDiscoverServices(PM_SERVER_SERVICE_SPEC, NULL, &urls), 0);
	assert_int_equal(pmDiscoverServices(PM_SERVER_SERVICE_SPEC, "avahi,timeout=1", &urls), 0);
	assert_int_equal(pmDiscoverServices(PM_SERVER_SERVICE_SPEC, "probe=10.0.0.0/30", &urls), 0);
	assert_int_equal(pmDiscoverServices(PM_SERVER_SERVICE_SPEC, "prober", &urls), -EOPNOTSUPP);
	assert_null(urls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_nobody)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
