/* test_host_agent - missing methods are filled up to the interface's version; holes are seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/cleanup.h"
#include "libwire/host_agent.h"

static void test_methods(void **state)
{
	static const struct {
		int version, missing;
	} cases[] = {{2, 6}, {3, 6}, {4, 9}, {5, 9}, {6, 10}, {7, 11}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pmdaInterface d = {.comm = {.pmda_interface = (unsigned int)cases[i].version}};
		pmProfile profile = {0};
		pmdaExt ext = {0};

		assert_int_equal(host_agent_complete(&d), cases[i].missing);
		assert_int_equal(host_agent_complete(&d), 0);
		assert_int_equal(d.version.any.profile(&profile, &ext), 0);
		assert_ptr_equal(ext.e_prof, &profile);
		assert_int_equal(d.version.any.profile(&profile, NULL), 0);
		assert_int_equal(d.version.any.fetch(0, NULL, NULL, NULL), PM_ERR_NYI);
		assert_int_equal(d.version.any.desc(0, NULL, NULL), PM_ERR_NYI);
		assert_int_equal(d.version.any.instance(0, 0, NULL, NULL, NULL), PM_ERR_NYI);
		assert_int_equal(d.version.any.text(0, 0, NULL, NULL), PM_ERR_NYI);
		assert_int_equal(d.version.any.store(NULL, NULL), PM_ERR_NYI);
		assert_int_equal(d.version.four.pmid == NULL, cases[i].version < 4);
		assert_int_equal(d.version.six.attribute == NULL, cases[i].version < 6);
		assert_int_equal(d.version.seven.label == NULL, cases[i].version < 7);
	}
}

static int own_store(pmResult *result, pmdaExt *ext)
{
	return 7;
}

/* Existing methods stay, and those of later versions are not changed. */
static void test_own_methods(void **state)
{
	pmdaInterface d = {.comm = {.pmda_interface = PMDA_INTERFACE_7}};

	d.version.any.store = own_store;
	assert_int_equal(host_agent_complete(&d), 10);
	assert_int_equal(d.version.any.store(NULL, NULL), 7);
	assert_int_equal(d.version.four.pmid("a", NULL, NULL), PM_ERR_NYI);
	assert_int_equal(d.version.four.name(0, NULL, NULL), PM_ERR_NYI);
	assert_int_equal(d.version.four.children("a", 0, NULL, NULL, NULL), PM_ERR_NYI);
	assert_int_equal(d.version.six.attribute(0, 0, "", 1, NULL), 0);
	assert_int_equal(d.version.seven.label(0, 0, NULL, NULL), PM_ERR_NYI);
}

static void test_names(void **state)
{
	char *some[] = {(char *)"a", (char *)"b", NULL};
	pmInResult in = {.numinst = 2, .namelist = some};

	assert_true(host_agent_names(NULL, 0));
	assert_true(host_agent_names(some, 2));
	assert_false(host_agent_names(some, 3));
	assert_false(host_agent_names(NULL, 1));
	assert_true(host_agent_insts(&in));
	in.numinst = 3;
	assert_false(host_agent_insts(&in));
	in.namelist = NULL;
	assert_true(host_agent_insts(&in));
	in.numinst = -1;
	assert_false(host_agent_insts(&in));
	assert_false(host_agent_insts(NULL));
}

static void test_labels(void **state)
{
	char json[] = "{\"a\":1}";
	pmLabel label = {.name = 2, .namelen = 1, .value = 5, .valuelen = 1};
	pmLabelSet sets[2] = {{.nlabels = PM_ERR_AGAIN},
			      {.nlabels = 1, .json = json, .jsonlen = 7, .labels = &label}};

	assert_true(host_agent_labels(sets, 2));
	assert_true(host_agent_labels(NULL, 0));
	label.valuelen = 2;
	assert_true(host_agent_labels(sets, 2));
	label.valuelen = 3;
	assert_false(host_agent_labels(sets, 2));
	label.valuelen = 1;
	label.name = 7;
	assert_false(host_agent_labels(sets, 2));
	label.name = 2;
	sets[1].json = NULL;
	assert_false(host_agent_labels(sets, 2));
	sets[1].json = json;
	sets[1].labels = NULL;
	assert_false(host_agent_labels(sets, 2));
	sets[1].nlabels = 0;
	assert_true(host_agent_labels(sets, 2));
}

static void test_values(void **state)
{
	pmValueBlock block = {.vlen = PM_VAL_HDR_SIZE, .vtype = PM_TYPE_STRING};
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_INSITU};

	assert_false(host_agent_values(NULL));
	assert_true(host_agent_values(&set));
	set.valfmt = PM_VAL_DPTR;
	set.vlist[0].value.pval = NULL;
	assert_false(host_agent_values(&set));
	set.vlist[0].value.pval = &block;
	assert_true(host_agent_values(&set));
	block.vlen = PM_VAL_HDR_SIZE - 1;
	assert_false(host_agent_values(&set));
	set.numval = PM_ERR_INST;
	assert_true(host_agent_values(&set));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_methods), cmocka_unit_test(test_own_methods),
	    cmocka_unit_test(test_names),   cmocka_unit_test(test_labels),
	    cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
