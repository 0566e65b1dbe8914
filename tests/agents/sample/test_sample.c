/* sample - its rows, stores into them, and that nothing grows; as an object, through its entry. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/libpcp.h>

#include "sample.h"

static pmdaInterface agent;

static int agent_start(void **state)
{
	agent.domain = SAMPLE_DOMAIN;
	agent.comm.pmda_interface = PMDA_INTERFACE_LATEST;
	agent.comm.pmapi_version = PMAPI_VERSION_2;
	sample_init(&agent);
	return agent.status;
}

static pmdaExt *ext(void)
{
	return agent.version.any.ext;
}

static pmID pmid_of(const char *name)
{
	pmID pmid;

	assert_int_equal(agent.version.seven.pmid(name, &pmid, ext()), 0);
	return pmid;
}

/* The number of values, or an error code; of one number also the number. */
static int fetch(const char *name, double *ret_number)
{
	pmID pmid = pmid_of(name);
	pmResult *result;
	pmAtomValue atom;
	pmDesc desc;
	int n;

	assert_int_equal(agent.version.any.fetch(1, &pmid, &result, ext()), 0);
	n = result->vset[0]->numval;
	if (n > 0 && ret_number != NULL) {
		assert_int_equal(agent.version.any.desc(pmid, &desc, ext()), 0);
		assert_int_equal(pmExtractValue(result->vset[0]->valfmt,
						&result->vset[0]->vlist[n - 1], desc.type, &atom,
						PM_TYPE_DOUBLE),
				 0);
		*ret_number = atom.d;
	}
	__pmFreeResultValues(result);
	return n;
}

static int store(const char *name, int number)
{
	pmValueSet vset = {.pmid = pmid_of(name), .numval = 1, .valfmt = PM_VAL_INSITU};
	pmResult result = {.numpmid = 1, .vset = {&vset}};

	vset.vlist[0] = (pmValue){.inst = PM_IN_NULL, .value.lval = number};
	return agent.version.any.store(&result, ext());
}

/* ---- the rows ---- */

static void test_rows_are_whole(void **state)
{
	for (unsigned int i = 0; i < SAMPLE_NCLUSTERS; i++)
		for (unsigned int j = 0; j < sample_clusters[i]->nmetrics; j++) {
			const struct agent_metric *row = &sample_clusters[i]->metrics[j];
			pmID pmid = pmID_build(SAMPLE_DOMAIN, row->cluster, row->item);

			assert_ptr_equal(sample_find(pmid), row); /* no number twice */
			assert_non_null(row->oneline);
			assert_true(row->value.get != NULL || row->item == BAD_UNKNOWN);
		}
}

/* All names below "sample" lead to a metric and back. */
static int all_metrics(pmID *pmids, int most)
{
	char **names;
	int *status, n;

	n = agent.version.seven.children("sample", 1, &names, &status, ext());
	assert_in_range(n, 190, most);
	for (int i = 0; i < n; i++)
		pmids[i] = pmid_of(names[i]);
	free(names);
	free(status);
	return n;
}

static void test_names(void **state)
{
	char **names;
	pmID pmids[300];
	int n = all_metrics(pmids, 300);

	for (int i = 0; i < n; i++) {
		assert_true(agent.version.seven.name(pmids[i], &names, ext()) >= 1);
		free(names);
	}
	assert_int_equal(agent.version.seven.name(6, &names, ext()), PM_ERR_PMID);
}

/* ---- stores: what is taken, and what a fetch says then ---- */

static void test_stores(void **state)
{
	static const struct {
		const char *store;
		int number;
		int result;
		const char *fetch;
		int numval;
		double value;
	} cases[] = {
	    {"sample.many.count", 3, 0, "sample.many.int", 3, 2},
	    {"sample.many.count", -1, 0, "sample.many.int", 0, 0},
	    {"sample.many.count", 1000000, 0, "sample.many.int", 999999, 999998},
	    {"sample.many.count", 5, 0, "sample.many.count", 1, 5},
	    {"sample.dodgey.control", -12350, 0, "sample.dodgey.value", -12350, 0},
	    {"sample.dodgey.control", 0, 0, "sample.dodgey.value", 0, 0},
	    {"sample.dodgey.control", 1, 0, "sample.dodgey.control", 1, 1},
	    {"sample.returns.error", PM_ERR_INST, 0, "sample.returns.error", PM_ERR_INST, 0},
	    {"sample.returns.error", 7, 0, "sample.returns.error", 1, 7},
	    {"sample.delay.msec", -1, PM_ERR_BADSTORE, "sample.delay.msec", 1, 0},
	    {"sample.delay.msec", 600000, 0, "sample.delay.value", 1, 600000},
	    {"sample.end.signal", 9, PM_ERR_PERMISSION, "sample.end.signal", 1, 0},
	    {"sample.end.exit", 0, PM_ERR_PERMISSION, "sample.end.exit", 1, 0},
	    {"sample.load", 1, PM_ERR_PERMISSION, "sample.load", 1, 42},
	    {"sample.bad.unknown", 1, PM_ERR_PMID, "sample.bad.unknown", PM_ERR_PMID, 0},
	    {"sample.tree.size", 1000001, PM_ERR_BADSTORE, "sample.tree.size", 1, 0},
	    {"sample.tree.size", -1, PM_ERR_BADSTORE, "sample.tree.size", 1, 0},
	    {"sample.tree.size", 70000, 0, "sample.tree.leaf.06.99.99", 1, 69999},
	    {"sample.tree.size", 0, 0, "sample.tree.size", 1, 0},
	    {"sample.ghosts.visible", 9, 0, "sample.ghosts.karma", 8, 5},
	    {"sample.ghosts.visible", -1, 0, "sample.ghosts.visible", 1, -1},
	    {"sample.updown.control.step", -2147483647 - 1, 0, "sample.updown.obs", 1, 0},
	    {"sample.updown.control.min", 2147483647, 0, "sample.updown.obs", 1, 0},
	    {"sample.dynamic.meta.pmdesc.type", PM_TYPE_EVENT, 0, "sample.dynamic.meta.metric",
	     PM_ERR_TYPE, 0},
	    {"sample.dynamic.meta.pmdesc.type", PM_TYPE_AGGREGATE, 0,
	     "sample.dynamic.meta.pmdesc.type", 1, PM_TYPE_AGGREGATE},
	    {"sample.dynamic.meta.pmdesc.type", PM_TYPE_FLOAT, 0, "sample.dynamic.meta.metric", 1,
	     42},
	    {"sample.dynamic.meta.pmdesc.type", PM_TYPE_32, 0, "sample.needprofile", PM_ERR_PROFILE,
	     0},
	    {"sample.event.reset", -5, 0, "sample.event.reset", 1, -1},
	    {"sample.event.reset", 0, 0, "sample.event.highres_records", 2, 0},
	    {"sample.scramble.version", 1, PM_ERR_CONV, "sample.scramble.bin", 9, 200},
	    {"sample.bin", 1, PM_ERR_INST, "sample.part_bin", 5, 900},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int is_event = strstr(cases[i].fetch, "records") != NULL;
		double value = 0;

		print_message("%s\n", cases[i].store);
		assert_int_equal(store(cases[i].store, cases[i].number), cases[i].result);
		assert_int_equal(fetch(cases[i].fetch, is_event ? NULL : &value), cases[i].numval);
		if (cases[i].numval > 0)
			assert_true(value == cases[i].value);
	}
}

/* A fetch with error_check in it fails as a whole. */
static void test_error_check(void **state)
{
	pmID pmids[] = {pmid_of("sample.load"), pmid_of("sample.error_check")};
	pmResult *result;
	pmDesc desc;

	assert_int_equal(store("sample.error_code", -ENOENT), 0);
	assert_int_equal(agent.version.any.fetch(2, pmids, &result, ext()), -ENOENT);
	assert_int_equal(agent.version.any.desc(pmids[1], &desc, ext()), -ENOENT);
	assert_int_equal(store("sample.error_code", 0), 0);
	assert_int_equal(fetch("sample.error_check", NULL), 1);
}

/* ---- nothing grows ---- */

static void test_memory_is_flat(void **state)
{
	size_t before = 0;
	pmID pmids[300];
	pmResult *result;
	int n = all_metrics(pmids, 300), nvalues = 0;

	for (int i = 0; i < 10000; i++) {
		if (i == 100)
			before = mallinfo2().uordblks;
		assert_int_equal(agent.version.any.fetch(n, pmids, &result, ext()), 0);
		for (int j = 0; j < n; j++)
			nvalues += result->vset[j]->numval > 0 ? result->vset[j]->numval : 0;
		__pmFreeResultValues(result);
	}
	assert_true(nvalues >= 10000 * 1200);
	assert_true(mallinfo2().uordblks <= before + 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_whole), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_stores),         cmocka_unit_test(test_error_check),
	    cmocka_unit_test(test_memory_is_flat),
	};

	return cmocka_run_group_tests(tests, agent_start, NULL);
}
