/* Tests of dynamic.c: an agent whose metrics come in as many clusters as the test says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "starve.h"

enum { DOMAIN = 251, CLUSTER = 5, TEMPLATES = 3 };

static pmID pmid_of(unsigned int cluster, unsigned int item)
{
	return pmID_build(DOMAIN, cluster, item);
}

/* The agent: its own metrics, and two that exist once for each line. */
static int lines;       /* as they are */
static int lines_known; /* as the tree has them */
static int updates;     /* calls of update_names */
static pmdaNameSpace *made;

static int update_names(pmdaExt *ext, pmdaNameSpace **tree)
{
	updates++;
	if (made != NULL && lines == lines_known) {
		*tree = made;
		return 0;
	}
	pmdaTreeRelease(made);
	made = NULL;
	pmdaTreeCreate(&made);
	/* The templates have names too, by which the library knows which ones are wanted. */
	pmdaTreeInsert(made, pmid_of(CLUSTER, 0), "dyn.template.count");
	pmdaTreeInsert(made, pmid_of(CLUSTER, 1), "dyn.template.size");
	for (int id = 1; id <= lines; id++) {
		char name[40];

		snprintf(name, sizeof(name), "dyn.line%d.count", id);
		pmdaTreeInsert(made, pmid_of(CLUSTER + (unsigned int)id, 0), name);
	}
	pmdaTreeRebuildHash(made, lines + 2);
	lines_known = lines;
	*tree = made;
	return 1;
}

static int update_text(pmdaExt *ext, pmID pmid, int type, char **text)
{
	*text = type & PM_TEXT_ONELINE ? "one" : "help";
	return pmID_item(pmid) == 0 ? 0 : PM_ERR_TEXT;
}

static void update_metric(pmdaMetric *from, pmdaMetric *to, int id)
{
	*to = *from;
	to->m_desc.pmid = pmid_of(CLUSTER + (unsigned int)id, pmID_item(from->m_desc.pmid));
}

static void count(int *total, int *copies)
{
	*total = 2;
	*copies = lines;
}

static pmdaMetric metrics[TEMPLATES];
static pmdaInterface dispatch;

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ul = pmID_cluster(metric->m_desc.pmid);
	return PMDA_FETCH_STATIC;
}

static int setup(void **state)
{
	for (unsigned int i = 0; i < TEMPLATES; i++) {
		metrics[i].m_desc.pmid = i < 2 ? pmid_of(CLUSTER, i) : pmid_of(0, 0);
		metrics[i].m_desc.type = PM_TYPE_U32;
		metrics[i].m_desc.indom = PM_INDOM_NULL;
	}
	dispatch.domain = DOMAIN;
	pmdaDSO(&dispatch, PMDA_INTERFACE_7, "dynamic", NULL);
	dispatch.version.any.text = NULL;
	pmdaSetFetchCallBack(&dispatch, fetch_value);
	pmdaInit(&dispatch, NULL, 0, metrics, TEMPLATES);
	return dispatch.status;
}

static pmdaExt *ext(void)
{
	return dispatch.version.any.ext;
}

/* Before anything is registered nothing is there. */
static void test_nothing(void **state)
{
	char *text;

	assert_null(pmdaDynamicLookupName(ext(), "dyn"));
	assert_null(pmdaDynamicLookupPMID(ext(), pmid_of(CLUSTER, 0)));
	assert_int_equal(pmdaDynamicLookupText(pmid_of(CLUSTER, 0), 1, &text, ext()), -ENOENT);
	pmdaDynamicMetricTable(ext());
	assert_ptr_equal(ext()->e_metrics, metrics);
	assert_int_equal(pmdaDynamicSetClusterMask("dyn", 7), -EINVAL);
}

static void check_value(pmID pmid, int numval)
{
	pmResult *result;

	assert_int_equal(pmdaFetch(1, &pmid, &result, ext()), 0);
	assert_int_equal(result->vset[0]->numval, numval);
	if (numval == 1)
		assert_int_equal(result->vset[0]->vlist[0].value.lval, pmID_cluster(pmid));
	ext()->e_resultCallBack(result);
}

static void test_names(void **state)
{
	char *text = NULL;
	pmID pmid;

	lines = 3;
	pmdaDynamicPMNS("dyn", NULL, 0, update_names, update_text, update_metric, count, metrics,
			TEMPLATES);
	assert_int_equal(pmdaDynamicSetClusterMask("dyn", 7), 0);
	assert_int_equal(pmdaDynamicSetClusterMask("other", 7), -EINVAL);
	assert_non_null(pmdaDynamicLookupName(ext(), "dyn.line3.count"));
	assert_ptr_equal(pmdaDynamicLookupName(ext(), "dyn.line3"), made);
	assert_null(pmdaDynamicLookupName(ext(), "dyn.line4.count"));
	assert_ptr_equal(pmdaDynamicLookupPMID(ext(), pmid_of(CLUSTER + 2, 0)), made);
	assert_null(pmdaDynamicLookupPMID(ext(), pmid_of(CLUSTER + 4, 0)));
	assert_int_equal(pmdaTreePMID(made, "dyn.line2.count", &pmid), 0);
	assert_int_equal(pmid, pmid_of(CLUSTER + 2, 0));
	assert_int_equal(pmdaDynamicLookupText(pmid, PM_TEXT_ONELINE | PM_TEXT_PMID, &text, ext()),
			 0);
	assert_string_equal(text, "one");
	assert_int_equal(pmdaDynamicLookupText(pmid_of(CLUSTER, 1), 2, &text, ext()), PM_ERR_TEXT);
	assert_int_equal(pmdaDynamicLookupText(pmid_of(99, 0), 2, &text, ext()), -ENOENT);
}

static void test_table(void **state)
{
	for (int n = 3; n >= 0; n--) {
		int before = updates;

		lines = n;
		pmdaDynamicLookupName(ext(), "x");
		assert_true(updates > before);
		assert_int_equal(ext()->e_nmetrics, TEMPLATES + 2 * n);
		assert_int_equal(ext()->e_metrics == metrics, n == 0);
		for (unsigned int id = 0; id <= 4; id++) {
			check_value(pmid_of(CLUSTER + id, 0),
				    id <= (unsigned int)n ? 1 : PM_ERR_PMID);
			check_value(pmid_of(CLUSTER + id, 1),
				    id <= (unsigned int)n ? 1 : PM_ERR_PMID);
		}
		check_value(pmid_of(0, 0), 1);
	}
	lines = 1000;
	pmdaDynamicLookupPMID(ext(), 0);
	assert_int_equal(ext()->e_nmetrics, TEMPLATES + 2000);
	check_value(pmid_of(CLUSTER + 1000, 1), 1);
}

static void count_too_low(int *total, int *copies)
{
	*total = 1;
	*copies = 1;
}

static void count_beyond(int *total, int *copies)
{
	*total = 1 << 20;
	*copies = 1 << 20;
}

static int no_names(pmdaExt *e, pmdaNameSpace **tree)
{
	return 0;
}

/* An agent's own registrations hide those of the process; counts are not believed. */
static void test_private(void **state)
{
	lines = 2;
	pmdaExtDynamicPMNS("mine", NULL, 0, update_names, update_text, update_metric, count_too_low,
			   metrics, TEMPLATES, ext());
	pmdaDynamicMetricTable(ext());
	assert_int_equal(ext()->e_nmetrics, TEMPLATES + 1);
	check_value(pmid_of(CLUSTER + 1, 0), 1);
	check_value(pmid_of(CLUSTER + 1, 1), PM_ERR_PMID);
	pmdaExtDynamicPMNS("none", NULL, 0, no_names, update_text, update_metric, count_beyond,
			   metrics, TEMPLATES, ext());
	pmdaDynamicMetricTable(ext());
	assert_ptr_equal(ext()->e_metrics, metrics);
	assert_null(pmdaDynamicLookupName(ext(), "none"));
	assert_ptr_equal(pmdaDynamicLookupName(ext(), "dyn.line2"), made);
}

/* Without memory for a table the agent's own one serves. */
static void test_starved(void **state)
{
	lines = 2;
	update_names(ext(), &made);
	for (long n = 0; n < 3; n++) {
		starve_left = n;
		pmdaDynamicMetricTable(ext());
		starve_left = -1;
		if (n == 0)
			assert_ptr_equal(ext()->e_metrics, metrics);
		check_value(pmid_of(0, 0), 1);
	}
	check_value(pmid_of(CLUSTER + 2, 1), 1);
}

static int teardown(void **state)
{
	pmdaTreeRelease(made);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_table),   cmocka_unit_test(test_starved),
	    cmocka_unit_test(test_private),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
