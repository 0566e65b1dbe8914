/* test_sort - values by instance: docs/spec/pmapi.md 7. */
#include <limits.h>

#include "pcp_test.h"

static void sorted(void **state)
{
	static const int insts[] = {5, -1, INT_MAX, INT_MIN, 0};
	static const int expected[] = {INT_MIN, -1, 0, 5, INT_MAX};
	pmValueSet *set = calloc(1, sizeof(*set) + 5 * sizeof(pmValue));
	pmValueSet failed = {.numval = PM_ERR_VALUE};
	pmResult *result = calloc(1, sizeof(*result) + sizeof(set));
	pmValue *list = set->vlist;

	result->numpmid = 2;
	(&result->vset[0])[0] = set;
	(&result->vset[0])[1] = &failed;
	set->numval = 5;
	for (int i = 0; i < 5; i++)
		list[i].inst = insts[i];
	pmSortInstances(result);
	for (int i = 0; i < 5; i++)
		assert_int_equal(list[i].inst, expected[i]);
	pmSortHighResInstances((pmHighResResult *)result);
	assert_int_equal(list[0].inst, INT_MIN);
	free(set);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sorted)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
