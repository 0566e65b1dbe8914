/* agent_indom - instances: ids that stay, who defines them, who knows more about them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pond.h"

static pmdaInterface dispatch;

static int open_pond(void **state)
{
	pond_open(&pond, &dispatch);
	pmdaCacheOp(pmInDom_build(400, 1),
		    PMDA_CACHE_CULL); /* caches live as long as the process */
	pmdaCacheOp(pmInDom_build(400, 1), PMDA_CACHE_REORG);
	return dispatch.status;
}

static void set_names(const char **list, const char *a, const char *b, const char *c)
{
	list[0] = a;
	list[1] = b;
	list[2] = c;
	list[3] = NULL;
}

/* "name=eggs" for each value, in the order of the fetch. */
static void expect_birds(const char *expected)
{
	char found[256] = "";
	int n = pond_fetch(&dispatch, 1, 0);

	for (int i = 0; i < n; i++) {
		char *name;

		assert_int_equal(pmdaCacheLookup(pmInDom_build(400, 1), pond_inst(i), &name, NULL),
				 PMDA_CACHE_ACTIVE);
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s=%u",
			 i != 0 ? " " : "", name, pond_atom(i, PM_TYPE_U32).ul);
	}
	assert_string_equal(found, expected);
}

static int id_of(const char *name)
{
	int id = -1;

	pmdaCacheLookupName(pmInDom_build(400, 1), name, &id, NULL);
	return id;
}

static void test_ids_stay(void **state)
{
	int duck, swan;

	set_names(pond_world.birds, "duck", "swan", NULL);
	expect_birds("duck=0 swan=1");
	duck = id_of("duck");
	swan = id_of("swan");
	set_names(pond_world.birds, "heron", "swan", "duck"); /* order changes, one more */
	expect_birds("duck=2 swan=1 heron=0");
	set_names(pond_world.birds, "heron", NULL, NULL);
	expect_birds("heron=0");
	set_names(pond_world.birds, "swan", "duck", NULL); /* they come back */
	expect_birds("duck=1 swan=0");
	assert_int_equal(id_of("duck"), duck);
	assert_int_equal(id_of("swan"), swan);
	set_names(pond_world.birds, NULL, NULL, NULL);
	assert_int_equal(pond_fetch(&dispatch, 1, 0), 0);
}

static void test_twice_counts_once(void **state)
{
	set_names(pond_world.birds, "duck", "duck", "swan");
	expect_birds("duck=0 swan=2");
	set_names(pond_world.birds, "grey goose", "grey heron",
		  NULL); /* pmdaCache knows one "grey" */
	expect_birds("grey goose=0");
}

static void test_who_knows_more(void **state)
{
	set_names(pond_world.birds, "duck", "swan", NULL);
	set_names(pond_world.rings, "swan", "stranger", NULL);
	assert_int_equal(pond_fetch(&dispatch, 1, 1), 1); /* the unknown one is not an instance */
	assert_int_equal(pond_inst(0), id_of("swan"));
	assert_true(pond_atom(0, PM_TYPE_U64).ull == 1000);
	set_names(pond_world.birds, "duck", "swan", "stranger"); /* now it is */
	assert_int_equal(pond_fetch(&dispatch, 1, 1), 2);
}

static void test_failure_keeps_instances(void **state)
{
	set_names(pond_world.birds, "duck", "swan", NULL);
	expect_birds("duck=0 swan=1");
	pond_world.status = -EIO;
	set_names(pond_world.birds, NULL, NULL, NULL);
	assert_int_equal(pond_fetch(&dispatch, 1, 0), 0);
	assert_int_equal(pmdaCacheOp(pmInDom_build(400, 1), PMDA_CACHE_SIZE_ACTIVE), 2);
	set_names(pond_world.birds, "duck", "swan", "heron"); /* found, but not to be trusted */
	expect_birds("duck=0 swan=1");
	pond_world.status = 0;
	expect_birds("duck=0 swan=1 heron=2");
}

static void test_given_ids(void **state)
{
	pmInResult *list;

	pond_world.given[0] = 5;
	pond_world.given[1] = 3;
	pond_world.given[2] = 5; /* twice */
	pond_world.given[3] = -1;
	assert_int_equal(pond_fetch(&dispatch, 2, 0), 2);
	assert_int_equal(pond_inst(0), 5);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, 10);
	assert_int_equal(pond_inst(1), 3);
	assert_int_equal(dispatch.version.four.instance(pmInDom_build(400, 2), (int)PM_IN_NULL,
							NULL, &list, dispatch.version.four.ext),
			 0);
	assert_int_equal(list->numinst, 2);
	assert_string_equal(list->namelist[1], "nest3");
	pond_free_list(list);
}

static void test_instance_reads_what_it_must(void **state)
{
	pmInDom indom = pmInDom_build(400, 1);
	pmInResult *list;

	set_names(pond_world.birds, "duck", NULL, NULL);
	assert_int_equal(dispatch.version.four.instance(indom, (int)PM_IN_NULL, NULL, &list,
							dispatch.version.four.ext),
			 0);
	assert_int_equal(list->numinst, 1);
	pond_free_list(list);
	assert_int_equal(pond_world.birds_reads, 1);
	assert_int_equal(dispatch.version.four.instance(indom, id_of("duck"), NULL, &list,
							dispatch.version.four.ext),
			 0);
	pond_free_list(list);
	assert_int_equal(pond_world.birds_reads, 1); /* known: not read again */
	assert_int_equal(
	    dispatch.version.four.instance(indom, 99, NULL, &list, dispatch.version.four.ext),
	    PM_ERR_INST);
	assert_int_equal(pond_world.birds_reads, 2); /* unknown: perhaps it is new */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_ids_stay, open_pond),
	    cmocka_unit_test_setup(test_twice_counts_once, open_pond),
	    cmocka_unit_test_setup(test_who_knows_more, open_pond),
	    cmocka_unit_test_setup(test_failure_keeps_instances, open_pond),
	    cmocka_unit_test_setup(test_given_ids, open_pond),
	    cmocka_unit_test_setup(test_instance_reads_what_it_must, open_pond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
