/* The profile of the current context: what is refused before there is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

static void test_refused(void **state)
{
	int list[1] = {1};

	assert_int_equal(pmAddProfile(PM_INDOM_NULL, 1, list), PM_ERR_PROFILESPEC);
	assert_int_equal(pmDelProfile(PM_INDOM_NULL, 1, list), PM_ERR_PROFILESPEC);
	assert_int_equal(pmAddProfile(1, 1, list), PM_ERR_NOCONTEXT);
	assert_int_equal(pmDelProfile(1, 1, list), PM_ERR_NOCONTEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
