/*
 * Tests of logged.c and fetch_report.c: what the log says of fetches, and how often. A thousand
 * fetches of what fails say it once; when it went well meanwhile, once more.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pcp/libpcp.h>

#include "captured_log.h"
#include "fixture.h"
#include "libbase/cleanup.h"

enum { FETCHES = 1000 };

static int lines(void)
{
	return captured_log_count("\n");
}

static void fetch_times(struct fixture *f, pmID pmid, int times)
{
	for (int i = 0; i < times; i++) {
		pmResult *result;

		assert_int_equal(pmdaFetch(1, &pmid, &result, f->dispatch.version.any.ext), 0);
		__pmFreeResultValues(result);
	}
}

static int answer;

static int answer_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ul = 1;
	/* Two instances fail in two ways, if any does. */
	return answer < 0 && inst == 5 ? -EPERM : answer;
}

/* Each message of a fetch (docs/spec/pmda.md 10.1, 10.2), with the fault that causes it. */
static void test_each_once(void **state)
{
	static const struct {
		int version;
		int item;
		int answer; /* of a callback that always gives it; 0: the fixture's */
		const char *text;
		const char *more; /* NULL, or the other line */
	} cases[] = {
	    {7, ITEM_ENOENT, 0,
	     "Error: pmdaFetch: Fetch callback error from metric PMID 250.0.12[-1]: No such file "
	     "or directory\n",
	     NULL},
	    {7, ITEM_NO_PMID, 0, "Error: pmdaFetch: PMID 250.0.14 not handled by fetch callback\n",
	     NULL},
	    {7, ITEM_NO_TYPE, 0,
	     "Error: pmdaFetch: Descriptor type (NO_SUPPORT) for metric 250.0.16 is bad\n", NULL},
	    {7, ITEM_U32, PMDA_FETCH_DYNAMIC,
	     "Warning: pmdaFetch: Attempt to free value for metric 250.0.0 of wrong type U32\n",
	     NULL},
	    {3, 999, 0, "Error: pmdaFetch: Requested metric 250.0.999 is not defined\n",
	     "Error: pmdaDesc: Requested metric 250.0.999 is not defined\n"},
	    {7, 999, 0, NULL, NULL},
	    {7, ITEM_NO_INST, 0, NULL, NULL},
	    {7, ITEM_NO_VALUE, 0, NULL, NULL},
	    {7, ITEM_PARTLY, 0, NULL, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		fixture_init(&f, cases[i].version, 0);
		answer = cases[i].answer;
		if (answer != 0)
			pmdaSetFetchCallBack(&f.dispatch, answer_fetch);
		captured_log_begin();
		fetch_times(&f, fixture_pmid(cases[i].item), FETCHES);
		captured_log_end();
		assert_int_equal(lines(), (cases[i].text != NULL) + (cases[i].more != NULL));
		if (cases[i].text != NULL)
			assert_int_equal(captured_log_count(cases[i].text), 1);
		if (cases[i].more != NULL)
			assert_int_equal(captured_log_count(cases[i].more), 1);
	}
}

/* Both errors of the three instances are logged, in whichever order they come. */
static void test_again_after_good(void **state)
{
	pmID pmid = fixture_pmid(ITEM_COLOR);
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	pmdaSetFetchCallBack(&f.dispatch, answer_fetch);
	captured_log_begin();
	for (int round = 0; round < 3; round++) {
		answer = -ENOENT;
		fetch_times(&f, pmid, FETCHES);
		answer = -EIO;
		fetch_times(&f, pmid, FETCHES);
		answer = PMDA_FETCH_STATIC;
		fetch_times(&f, pmid, 1);
	}
	captured_log_end();
	assert_int_equal(captured_log_count("250.0.1[0]: No such file or directory\n"), 3);
	assert_int_equal(captured_log_count("250.0.1[0]: Input/output error\n"), 3);
	assert_int_equal(captured_log_count("250.0.1[5]: Operation not permitted\n"), 3);
	assert_int_equal(lines(), 9);
}

/* Whoever asks for any PMID does not make the library remember without end. */
static void test_many(void **state)
{
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_3, 0);
	pmdaSetFetchCallBack(&f.dispatch, answer_fetch);
	captured_log_begin();
	for (pmID item = 0; item < 1024; item++)
		fetch_times(&f, fixture_pmid(0) + 1024 * (1 + item % 8) + item, 3);
	captured_log_end();
	assert_true(lines() > 0);
}

/* With the library's debug flag each one is logged. */
static void test_debug_tells_all(void **state)
{
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	pmDebugOptions.libpmda = 1;
	captured_log_begin();
	fetch_times(&f, fixture_pmid(ITEM_NO_PMID), 10);
	fetch_times(&f, fixture_pmid(ITEM_NO_INST), 10);
	captured_log_end();
	pmDebugOptions.libpmda = 0;
	assert_int_equal(captured_log_count("not handled by fetch callback\n"), 20);
}

/* A domain of no table and no cache. */
static void test_unknown_domain(void **state)
{
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	f.metrics[ITEM_COLOR].m_desc.indom = fixture_indom(99);
	captured_log_begin();
	fetch_times(&f, fixture_pmid(ITEM_COLOR), FETCHES);
	captured_log_end();
	assert_int_equal(captured_log_count("Warning: __pmdaCntInst: unknown indom 250.99\n"), 1);
	assert_int_equal(lines(), 1);
}

static void test_wrong_back_pointer(void **state)
{
	struct fixture f, moved;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	fixture_init(&moved, PMDA_INTERFACE_7, 0);
	moved.dispatch.version.any.ext = f.dispatch.version.any.ext;
	f.dispatch.version.any.ext = NULL;
	captured_log_begin();
	fetch_times(&moved, fixture_pmid(ITEM_U32), 1);
	captured_log_end();
	assert_int_equal(captured_log_count("Botch: pmdaFetch: PMDA domain=250 "), 1);
	pmdaInterfaceMoved(&moved.dispatch);
	captured_log_begin();
	fetch_times(&moved, fixture_pmid(ITEM_U32), 1);
	captured_log_end();
	assert_int_equal(lines(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_once),      cmocka_unit_test(test_again_after_good),
	    cmocka_unit_test(test_many),           cmocka_unit_test(test_debug_tells_all),
	    cmocka_unit_test(test_unknown_domain), cmocka_unit_test(test_wrong_back_pointer),
	};

	pmSetProgname("test_logged");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
