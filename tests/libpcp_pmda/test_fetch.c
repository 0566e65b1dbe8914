/* Tests of fetch.c and values.c: what a callback's atoms become, and whose memory they are. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/libpcp.h>

#include "fixture.h"
#include "libbase/cleanup.h"

static pmResult *must_fetch(struct fixture *f, int n, pmID *pmids)
{
	pmdaExt *ext = f->dispatch.version.any.ext;
	pmResult *result = NULL;

	assert_int_equal(pmdaFetch(n, pmids, &result, ext), 0);
	assert_non_null(result);
	assert_int_equal(result->numpmid, n);
	return result;
}

/* One metric's set; released by the next call. */
static pmValueSet *fetch_one(struct fixture *f, int item)
{
	static pmResult *last;
	pmID pmid = fixture_pmid(item);

	if (last != NULL)
		__pmFreeResultValues(last);
	last = must_fetch(f, 1, &pmid);
	assert_int_equal(last->vset[0]->pmid, pmid);
	return last->vset[0];
}

static void check_block(const pmValueSet *vset, int type, const void *bytes, size_t len)
{
	const pmValueBlock *block = vset->vlist[0].value.pval;

	assert_int_equal(vset->numval, 1);
	assert_int_equal(vset->vlist[0].inst, -1);
	assert_int_equal(block->vtype, type);
	assert_int_equal(block->vlen, PM_VAL_HDR_SIZE + len);
	assert_memory_equal(block->vbuf, bytes, len);
}

static void test_kinds_of_values(void **state)
{
	const uint64_t u64 = 0xfedcba9876543210u;
	const int64_t i64 = -2;
	const float half = 0.5f;
	struct fixture f;
	pmValueSet *vset;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	vset = fetch_one(&f, ITEM_U32);
	assert_int_equal(vset->valfmt, PM_VAL_INSITU);
	assert_int_equal((uint32_t)vset->vlist[0].value.lval, 4000000000u);
	vset = fetch_one(&f, ITEM_U64);
	assert_int_equal(vset->valfmt, PM_VAL_DPTR);
	check_block(vset, PM_TYPE_U64, &u64, 8);
	check_block(fetch_one(&f, ITEM_64), PM_TYPE_64, &i64, 8);
	check_block(fetch_one(&f, ITEM_FLOAT), PM_TYPE_FLOAT, &half, 4);
	check_block(fetch_one(&f, ITEM_STRING), PM_TYPE_STRING, "static", 7);
	check_block(fetch_one(&f, ITEM_STRING_DYNAMIC), PM_TYPE_STRING, "dynamic", 8);
	check_block(fetch_one(&f, ITEM_AGGREGATE), PM_TYPE_AGGREGATE, "abc", 3);
	check_block(fetch_one(&f, ITEM_AGGREGATE_DYNAMIC), PM_TYPE_AGGREGATE, "abc", 3);
	vset = fetch_one(&f, ITEM_AGGREGATE_STATIC);
	assert_int_equal(vset->valfmt, PM_VAL_SPTR);
	check_block(vset, PM_TYPE_AGGREGATE_STATIC, "abc", 3);
	vset = fetch_one(&f, ITEM_EVENT);
	assert_int_equal(vset->valfmt, PM_VAL_SPTR);
	assert_int_equal(vset->numval, 1);
	fetch_one(&f, ITEM_U32);
}

/* The answers of 6.0.3 (docs/spec/pmda.md 10.2). */
static void test_no_value(void **state)
{
	static const struct {
		int item;
		int numval;
		int numval_two; /* for interface 2, where 0 is a value */
	} cases[] = {
	    {ITEM_ENOENT, -ENOENT, -ENOENT},          {ITEM_NO_INST, PM_ERR_INST, PM_ERR_INST},
	    {ITEM_NO_PMID, PM_ERR_PMID, PM_ERR_PMID}, {ITEM_NO_VALUE, 0, 1},
	    {ITEM_NO_TYPE, PM_ERR_TYPE, PM_ERR_TYPE}, {ITEM_COUNT, PM_ERR_PMID, PM_ERR_PMID},
	};
	struct fixture seven, two;

	fixture_init(&seven, PMDA_INTERFACE_7, 0);
	fixture_init(&two, PMDA_INTERFACE_2, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(fetch_one(&seven, cases[i].item)->numval, cases[i].numval);
		assert_int_equal(fetch_one(&two, cases[i].item)->numval, cases[i].numval_two);
	}
	fetch_one(&seven, ITEM_U32);
}

static void test_instances(void **state)
{
	struct fixture f;
	pmValueSet *vset;
	double d;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	vset = fetch_one(&f, ITEM_COLOR);
	assert_int_equal(vset->numval, 3);
	assert_int_equal(vset->vlist[2].inst, 5);
	assert_int_equal(vset->vlist[2].value.lval, 105);
	vset = fetch_one(&f, ITEM_DISK);
	assert_int_equal(vset->numval, 2);
	assert_int_equal(vset->vlist[0].inst, 1);
	assert_int_equal(vset->vlist[1].inst, 2);
	memcpy(&d, vset->vlist[1].value.pval->vbuf, sizeof(d));
	assert_true(d == 20.0);
	vset = fetch_one(&f, ITEM_PARTLY);
	assert_int_equal(vset->numval, 2);
	assert_int_equal(vset->vlist[1].inst, 5);
	fetch_one(&f, ITEM_U32);
}

static void test_profile(void **state)
{
	static const struct {
		int state; /* of the entry; -1: there is none */
		int global;
		int n;
		int list[2];
		int numval;
		int first;
	} cases[] = {
	    {-1, PM_PROFILE_INCLUDE, 0, {0}, 3, 0},
	    {-1, PM_PROFILE_EXCLUDE, 0, {0}, 0, 0},
	    {PM_PROFILE_EXCLUDE, PM_PROFILE_INCLUDE, 1, {5}, 1, 5},
	    {PM_PROFILE_EXCLUDE, PM_PROFILE_INCLUDE, 0, {0}, 0, 0},
	    {PM_PROFILE_INCLUDE, PM_PROFILE_EXCLUDE, 1, {0}, 2, 1},
	    {PM_PROFILE_INCLUDE, PM_PROFILE_EXCLUDE, 0, {0}, 3, 0},
	    {PM_PROFILE_EXCLUDE, PM_PROFILE_INCLUDE, 2, {7, 1}, 1, 1},
	};
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int list[2] = {cases[i].list[0], cases[i].list[1]};
		pmInDomProfile entry = {fixture_indom(FIXTURE_TABLE), cases[i].state, cases[i].n,
					list};
		pmProfile profile = {cases[i].global, cases[i].state < 0 ? 0 : 1, &entry};
		pmValueSet *vset;

		assert_int_equal(pmdaProfile(&profile, f.dispatch.version.any.ext), 0);
		vset = fetch_one(&f, ITEM_COLOR);
		assert_int_equal(vset->numval, cases[i].numval);
		if (vset->numval > 0)
			assert_int_equal(vset->vlist[0].inst, cases[i].first);
	}
	fetch_one(&f, ITEM_U32);
}

/* The order of the request, duplicates too, by each way of looking up. */
static void test_order_and_lookup(void **state)
{
	static const int flags[] = {0, PMDA_EXT_FLAG_DIRECT, PMDA_EXT_FLAG_HASHED};
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR), fixture_pmid(999),
			fixture_pmid(ITEM_U64)};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct fixture f;
		pmResult *result;

		fixture_init(&f, PMDA_INTERFACE_7, flags[i]);
		if (i == 0)
			f.dispatch.version.any.ext->e_direct = 0;
		result = must_fetch(&f, 4, pmids);
		for (int m = 0; m < 4; m++)
			assert_int_equal(result->vset[m]->pmid, pmids[m]);
		assert_int_equal(result->vset[2]->numval, PM_ERR_PMID);
		assert_int_equal(result->vset[3]->numval, 1);
		assert_ptr_not_equal(result->vset[0]->vlist[0].value.pval,
				     result->vset[3]->vlist[0].value.pval);
		__pmFreeResultValues(result);
	}
}

/* A result that is kept does not change while others are fetched and released. */
static void test_kept_results(void **state)
{
	enum { KEPT = 200 };
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_STRING),
			fixture_pmid(ITEM_COLOR)};
	pmValueSet *kept[KEPT][3];
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	for (int k = 0; k < KEPT; k++) {
		memcpy(kept[k], must_fetch(&f, 3, pmids)->vset, sizeof(kept[k]));
		__pmFreeResultValues(must_fetch(&f, 3, pmids));
	}
	for (int k = 0; k < KEPT; k++) {
		check_block(kept[k][1], PM_TYPE_STRING, "static", 7);
		assert_int_equal(kept[k][2]->vlist[2].value.lval, 105);
	}
	for (int k = KEPT - 1; k >= 0; k--) {
		pmResult *result = calloc(1, sizeof(*result) + 2 * sizeof(pmValueSet *));

		result->numpmid = 3;
		memcpy(result->vset, kept[k], sizeof(kept[k]));
		__pmFreeResultValues(result);
		free(result);
	}
}

/* An agent may put malloc'd sets and blocks in the place of the library's. */
static void test_mixed_ownership(void **state)
{
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_U64), fixture_pmid(ITEM_DISK)};
	pmValueSet *own = malloc(sizeof(*own)), *dropped;
	pmAtomValue atom = {.ull = 7};
	struct fixture f;
	pmResult *result, *rest;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	result = must_fetch(&f, 3, pmids);
	dropped = result->vset[1];
	own->pmid = pmids[1];
	own->numval = 1;
	own->vlist[0].inst = PM_IN_NULL;
	own->valfmt = __pmStuffValue(&atom, &own->vlist[0], PM_TYPE_U64);
	result->vset[1] = own;
	assert_int_equal(__pmStuffValue(&atom, &result->vset[2]->vlist[0], PM_TYPE_U64), 1);
	__pmFreeResultValues(result);
	rest = calloc(1, sizeof(*rest));
	rest->numpmid = 1;
	rest->vset[0] = dropped;
	__pmFreeResultValues(rest);
	free(rest);
}

/* A domain that grows while it is walked, with blocks, over the end of any chunk. */
static pmdaInstid many[5000];
static struct fixture *growing;

static int grow_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	if (growing->indoms[0].it_numinst < 5000)
		growing->indoms[0].it_numinst++;
	atom->ull = inst;
	return PMDA_FETCH_STATIC;
}

static void test_growth(void **state)
{
	static const int types[] = {PM_TYPE_U32, PM_TYPE_U64};
	struct fixture f;

	for (int i = 0; i < 5000; i++)
		many[i].i_inst = i;
	fixture_init(&f, PMDA_INTERFACE_7, 0);
	growing = &f;
	pmdaSetFetchCallBack(&f.dispatch, grow_fetch);
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		pmValueSet *vset;

		f.indoms[0].it_set = many;
		f.indoms[0].it_numinst = 2;
		f.metrics[ITEM_COLOR].m_desc.type = types[t];
		vset = fetch_one(&f, ITEM_COLOR);
		assert_int_equal(vset->numval, 5000);
		for (int i = 0; i < 5000; i++) {
			uint64_t v = (uint64_t)(unsigned int)vset->vlist[i].value.lval;

			if (vset->valfmt == PM_VAL_DPTR)
				memcpy(&v, vset->vlist[i].value.pval->vbuf, sizeof(v));
			assert_int_equal(vset->vlist[i].inst, i);
			assert_int_equal(v, i);
		}
	}
	fetch_one(&f, ITEM_U32);
}

static void test_state_changes(void **state)
{
	pmID pmid = fixture_pmid(ITEM_U32);
	struct fixture f;
	pmdaExt *ext;
	pmResult *result;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	ext = f.dispatch.version.any.ext;
	pmdaExtSetFlags(ext, PMDA_EXT_LABEL_CHANGE | PMDA_EXT_NAMES_CHANGE);
	result = must_fetch(&f, 1, &pmid);
	assert_int_equal(result->timestamp.tv_sec, 8 | 16);
	__pmFreeResultValues(result);
	result = must_fetch(&f, 1, &pmid);
	assert_int_equal(result->timestamp.tv_sec, 0);
	__pmFreeResultValues(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds_of_values),  cmocka_unit_test(test_no_value),
	    cmocka_unit_test(test_instances),        cmocka_unit_test(test_profile),
	    cmocka_unit_test(test_order_and_lookup), cmocka_unit_test(test_kept_results),
	    cmocka_unit_test(test_mixed_ownership),  cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_state_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
