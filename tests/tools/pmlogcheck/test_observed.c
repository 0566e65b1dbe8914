/* test_observed - the last values of many instances, and marks, after which no value is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/pmlogcheck/pmlogcheck.h"

enum { METRICS = 50, INSTS = 200 };

static void test_known(void **state)
{
	struct observed *o = observed_new();
	struct observation *one = observed_get(o, 1, 2);

	assert_false(one->known);
	assert_int_equal(one->pmid, 1);
	assert_int_equal(one->inst, 2);
	one->known = true;
	one->value.ul = 7;
	assert_ptr_equal(observed_get(o, 1, 2), one);
	assert_true(one->known);
	assert_false(observed_get(o, 2, 1)->known);
	assert_false(observed_get(o, 1, -1)->known);
	observed_free(o);
	observed_free(NULL);
}

/*
 * Each instance has its own value, for any number of instances. A mark makes all unknown, also
 * those that are requested late.
 */
static void test_many(void **state)
{
	struct observed *o = observed_new();

	for (int round = 0; round < 3; round++) {
		for (pmID pmid = 0; pmid < METRICS; pmid++) {
			for (int inst = 0; inst < INSTS; inst++) {
				struct observation *one = observed_get(o, pmid, inst);

				assert_false(one->known);
				if ((inst + round) % 2 == 0)
					continue;
				one->known = true;
				one->value.ul = pmid * 1000 + (uint32_t)inst;
			}
		}
		for (pmID pmid = 0; pmid < METRICS; pmid++) {
			for (int inst = 0; inst < INSTS; inst++) {
				struct observation *one = observed_get(o, pmid, inst);

				assert_int_equal(one->known, (inst + round) % 2 != 0);
				if (one->known)
					assert_int_equal(one->value.ul,
							 pmid * 1000 + (uint32_t)inst);
			}
		}
		observed_forget(o);
	}
	observed_free(o);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
