/* test_profile - equal profiles are one object, and a slot holds the last one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemons/pmcd/profile.h"

static pmInDomProfile entry(pmInDom indom, int state, int *insts, int n)
{
	return (pmInDomProfile){
	    .indom = indom, .state = state, .instances_len = n, .instances = insts};
}

static void test_equal_is_same(void **state)
{
	struct profile_pool pool = {HASH_INIT};
	int insts[] = {1, 2, 3}, same[] = {1, 2, 3}, other[] = {1, 2, 4};
	pmInDomProfile a[] = {entry(5, 1, insts, 3), entry(6, 0, NULL, 0)};
	pmInDomProfile b[] = {entry(5, 1, same, 3), entry(6, 0, NULL, 0)};
	pmInDomProfile c[] = {entry(5, 1, other, 3), entry(6, 0, NULL, 0)};
	pmProfile pa = {0, 2, a}, pb = {0, 2, b}, pc = {0, 2, c}, all = {0, 0, NULL},
		  none = {1, 0, NULL};
	struct profile *x = profile_get(&pool, &pa);
	struct profile *y = profile_get(&pool, &pb);
	struct profile *z = profile_get(&pool, &pc);
	struct profile *e = profile_get(&pool, &all);
	struct profile *n = profile_get(&pool, &none);

	assert_ptr_equal(x, y);
	assert_ptr_not_equal(x, z);
	assert_ptr_not_equal(e, n);
	assert_int_equal(pool.all.count, 4);
	assert_int_equal(x->p.profile_len, 2);
	assert_int_equal(x->p.profile[0].indom, 5);
	assert_int_equal(x->p.profile[0].instances[2], 3);
	assert_int_equal(x->p.profile[1].instances_len, 0);
	assert_ptr_not_equal(x->p.profile[0].instances, insts);
	profile_put(&pool, x);
	assert_int_equal(pool.all.count, 4);
	profile_put(&pool, y);
	assert_int_equal(pool.all.count, 3);
	profile_put(&pool, z);
	profile_put(&pool, e);
	profile_put(&pool, n);
	profile_put(&pool, NULL);
	assert_int_equal(pool.all.count, 0);
	profile_pool_done(&pool);
}

/* Lists in any order, with repetitions, against the rules of docs/spec/pdu.md 12. */
static void test_wants(void **state)
{
	struct profile_pool pool = {HASH_INIT};
	int insts[] = {7, -3, 7, 100, 0, 2147483647};
	pmInDomProfile entries[] = {
	    entry(5, PM_PROFILE_EXCLUDE, insts, 6), entry(6, PM_PROFILE_INCLUDE, insts, 6),
	    entry(7, PM_PROFILE_EXCLUDE, NULL, 0), entry(8, PM_PROFILE_INCLUDE, NULL, 0)};
	static const struct {
		pmInDom indom;
		int inst;
		bool wanted[2]; /* with "all" and with "none" as the default */
	} cases[] = {
	    {5, 7, {true, true}},   {5, -3, {true, true}},    {5, 2147483647, {true, true}},
	    {5, 1, {false, false}}, {5, 101, {false, false}}, {6, 100, {false, false}},
	    {6, 0, {false, false}}, {6, 8, {true, true}},     {7, 0, {false, false}},
	    {8, 0, {true, true}},   {9, 0, {true, false}},
	};

	for (int d = 0; d < 2; d++) {
		pmProfile p = {d == 0 ? PM_PROFILE_INCLUDE : PM_PROFILE_EXCLUDE, 4, entries};
		struct profile *f = profile_get(&pool, &p);

		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const pmInDomProfile *e = profile_entry(f, cases[i].indom);

			assert_int_equal(profile_wants(f, e, cases[i].inst), cases[i].wanted[d]);
		}
		profile_put(&pool, f);
	}
	assert_true(profile_wants(NULL, profile_entry(NULL, 5), 1));
	profile_pool_done(&pool);
}

static void test_slots(void **state)
{
	struct profile_pool pool = {HASH_INIT};
	struct profile_slots slots = {0};
	pmProfile all = {0, 0, NULL}, none = {1, 0, NULL};
	struct profile *a = profile_get(&pool, &all);
	struct profile *n = profile_get(&pool, &none);

	assert_null(profile_slots_find(&slots, 0));
	assert_int_equal(profile_slots_set(&slots, &pool, 0, a), 0);
	assert_int_equal(profile_slots_set(&slots, &pool, 7, n), 0);
	assert_ptr_equal(profile_slots_find(&slots, 0), a);
	assert_ptr_equal(profile_slots_find(&slots, 7), n);
	assert_null(profile_slots_find(&slots, 1));
	assert_int_equal(profile_slots_set(&slots, &pool, 0, n), 0);
	assert_int_equal(profile_slots_set(&slots, &pool, 0, n), 0);
	assert_ptr_equal(profile_slots_find(&slots, 0), n);
	profile_put(&pool, a);
	assert_int_equal(pool.all.count, 1);
	profile_put(&pool, n);
	assert_int_equal(pool.all.count, 1);
	profile_slots_done(&slots, &pool);
	assert_int_equal(pool.all.count, 0);
	profile_pool_done(&pool);
}

static void test_too_many_slots(void **state)
{
	struct profile_pool pool = {HASH_INIT};
	struct profile_slots slots = {0};
	pmProfile all = {0, 0, NULL};
	struct profile *a = profile_get(&pool, &all);

	for (int i = 0; i < PROFILE_SLOTS_MAX; i++)
		assert_int_equal(profile_slots_set(&slots, &pool, i, a), 0);
	assert_int_equal(profile_slots_set(&slots, &pool, PROFILE_SLOTS_MAX, a), PM_ERR_TOOBIG);
	assert_int_equal(profile_slots_set(&slots, &pool, 3, a), 0);
	profile_slots_done(&slots, &pool);
	profile_put(&pool, a);
	profile_pool_done(&pool);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_equal_is_same),
	    cmocka_unit_test(test_wants),
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_too_many_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
