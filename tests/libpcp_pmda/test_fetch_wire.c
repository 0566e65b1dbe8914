/*
 * Tests of fetch_wire.c and the wire form of fetch.c: an answer that is written straight is byte
 * for byte what the way over a pmResult makes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/libpcp.h>
#include <pitot/agent.h>

#include "fixture.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libpcp_pmda/fetch.h"
#include "libwire/result.h"
#include "libwire/result_pdu.h"
#include "starve.h"

static const char before[] = "before"; /* what the buffer holds already */

/* ---- the two ways ---- */

/* The fetch with a pmResult. Returns 0 or an error code. */
static int by_result(struct fixture *f, enum pdu_type type, int n, pmID *pmids, struct buffer *b)
{
	struct result_source sources[64];
	pmResult *result;
	int r = pmdaFetch(n, pmids, &result, f->dispatch.version.any.ext);

	if (r < 0)
		return r;
	for (int i = 0; i < n; i++)
		sources[i] = (struct result_source){
		    .kind = RESULT_HOST, .pmid = pmids[i], .host = result->vset[i]};
	r = result_encode(b, type, 0, result->timestamp.tv_sec, 5, sources, (size_t)n);
	__pmFreeResultValues(result);
	return r;
}

/* Straight: 1, 0 (there is a pmResult, which is released), or the failure. */
static int straight(struct fixture *f, enum pdu_type type, int n, pmID *pmids, struct buffer *b)
{
	unsigned char changes = 0xff;
	pmResult *result = NULL;
	struct result_pdu pdu;
	int r, end;

	result_pdu_begin(&pdu, b, type, 0, (uint32_t)n);
	r = pitot_fetch_sink(&f->dispatch, n, pmids, &pdu.sink, &result, &changes);
	if (r > 0) {
		assert_null(result);
		end = result_pdu_end(&pdu, changes, 5);
		return end < 0 ? end : r;
	}
	result_pdu_cancel(&pdu);
	if (r == 0 && result != NULL)
		__pmFreeResultValues(result);
	return r;
}

/* Both, and twice: the second answer is laid out by what the first one was. */
static void check_same(struct fixture *f, int n, pmID *pmids)
{
	static const enum pdu_type types[] = {PDU_RESULT, PDU_HIGHRES_RESULT};

	for (size_t i = 0; i < 4; i++) {
		struct buffer expect = BUFFER_INIT, got = BUFFER_INIT;

		buffer_put(&expect, before, sizeof(before));
		buffer_put(&got, before, sizeof(before));
		assert_int_equal(by_result(f, types[i % 2], n, pmids, &expect), 0);
		assert_int_equal(straight(f, types[i % 2], n, pmids, &got), 1);
		assert_int_equal(got.len, expect.len);
		assert_memory_equal(got.data, expect.data, got.len);
		buffer_done(&expect);
		buffer_done(&got);
	}
}

/* ---- the fixture's values ---- */

static void test_each_item(void **state)
{
	static const int versions[] = {PMDA_INTERFACE_2, PMDA_INTERFACE_4, PMDA_INTERFACE_5,
				       PMDA_INTERFACE_7};

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		struct fixture f;

		fixture_init(&f, versions[v], 0);
		for (int item = 0; item <= ITEM_COUNT; item++) {
			pmID pmid = fixture_pmid(item);

			/* Interface 2 treats "no value" as an unwritten value. */
			if (item == ITEM_NO_VALUE && versions[v] < PMDA_INTERFACE_3)
				continue;
			/* In interfaces before 5 a dynamic value is never freed. */
			if ((item == ITEM_STRING_DYNAMIC || item == ITEM_AGGREGATE_DYNAMIC) &&
			    versions[v] < PMDA_INTERFACE_5)
				continue;
			check_same(&f, 1, &pmid);
		}
	}
}

static void test_all_items(void **state)
{
	static const int flags[] = {0, PMDA_EXT_FLAG_DIRECT, PMDA_EXT_FLAG_HASHED};
	enum { N = 2 * (ITEM_COUNT + 1) };
	pmID pmids[N];

	for (int i = 0; i < N; i++)
		pmids[i] = fixture_pmid(i * 7 % (ITEM_COUNT + 1)); /* each twice, one unknown */
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct fixture f;

		fixture_init(&f, PMDA_INTERFACE_7, flags[i]);
		if (i == 0)
			f.dispatch.version.any.ext->e_direct = 0;
		for (int n = 0; n <= N; n++)
			check_same(&f, n, pmids);
	}
}

static void test_profiles(void **state)
{
	static const struct {
		int global;
		int state; /* of the entry; -1: there is none */
		int n;
		int list[12];
	} cases[] = {
	    {PM_PROFILE_INCLUDE, -1, 0, {0}},
	    {PM_PROFILE_EXCLUDE, -1, 0, {0}},
	    {PM_PROFILE_INCLUDE, PM_PROFILE_EXCLUDE, 1, {5}},
	    {PM_PROFILE_INCLUDE, PM_PROFILE_EXCLUDE, 0, {0}},
	    {PM_PROFILE_EXCLUDE, PM_PROFILE_INCLUDE, 1, {0}},
	    {PM_PROFILE_EXCLUDE, PM_PROFILE_INCLUDE, 12, {9, 8, 7, 6, 5, 4, 3, 2, 12, 11, 10, 0}},
	    {PM_PROFILE_INCLUDE, PM_PROFILE_EXCLUDE, 12, {9, 8, 7, 6, 5, 4, 3, 2, 12, 11, 10, 0}},
	};
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR), fixture_pmid(ITEM_DISK),
			fixture_pmid(ITEM_STRING), fixture_pmid(ITEM_PARTLY)};
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int list[12];
		pmInDomProfile entry = {fixture_indom(FIXTURE_TABLE), cases[i].state, cases[i].n,
					list};
		pmProfile profile = {cases[i].global, cases[i].state < 0 ? 0 : 1, &entry};

		memcpy(list, cases[i].list, sizeof(list));
		assert_int_equal(pmdaProfile(&profile, f.dispatch.version.any.ext), 0);
		check_same(&f, 5, pmids);
	}
}

static void test_state_changes(void **state)
{
	pmID pmid = fixture_pmid(ITEM_U32);
	struct buffer b = BUFFER_INIT;
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	pmdaExtSetFlags(f.dispatch.version.any.ext, PMDA_EXT_LABEL_CHANGE | PMDA_EXT_NAMES_CHANGE);
	for (int i = 0; i < 2; i++) {
		buffer_reset(&b);
		assert_int_equal(straight(&f, PDU_RESULT, 1, &pmid, &b), 1);
		assert_int_equal(load_be32(b.data + 12), i == 0 ? 8 | 16 : 0);
	}
	buffer_done(&b);
}

/* ---- values of all kinds, by chance ---- */

enum { DICE_METRICS = 40, DICE_INSTANCES = 130 };

static uint32_t dice_seed;

static uint32_t dice(uint32_t x)
{
	x = (x ^ dice_seed) * 0x9e3779b1u;
	x = (x ^ x >> 15) * 0x85ebca6bu;
	return x ^ x >> 13;
}

/* The memory of a dynamic value must be freed. */
static void *dynamic[DICE_METRICS * DICE_INSTANCES * 4];
static size_t ndynamic, dynamic_freed;

void __real_free(void *p);
__attribute__((visibility("default"))) void __wrap_free(void *p);

void __wrap_free(void *p)
{
	for (size_t i = 0; p != NULL && i < ndynamic; i++) {
		if (dynamic[i] == p) {
			dynamic[i] = NULL;
			dynamic_freed++;
			break;
		}
	}
	__real_free(p);
}

static void *dynamic_copy(const void *from, size_t len)
{
	void *p = __real_malloc(len);

	assert_non_null(p);
	memcpy(p, from, len);
	dynamic[ndynamic++] = p;
	return p;
}

/* Blocks of several shapes, some of them wrong, in storage that a fetch does not write twice. */
static pmValueBlock *dice_block(uint32_t r, const pmdaMetric *metric, unsigned int inst)
{
	static union {
		pmValueBlock block;
		pmEventArray array;
		uint32_t words[16];
	} storage[DICE_METRICS][DICE_INSTANCES + 1];
	uint32_t row = metric->m_desc.pmid & 0x3ff;
	uint32_t column = inst == PM_IN_NULL ? DICE_INSTANCES : inst / 3;
	pmEventArray *array = &storage[row][column].array;
	pmValueBlock *block = &storage[row][column].block;
	int type = metric->m_desc.type;

	memset(block, (int)(r >> 24), sizeof(storage[0][0]));
	block->vtype = (unsigned int)type & 0xff;
	block->vlen = 4 + r / 64 % 30;
	if (type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT) {
		array->ea_nrecords = r / 512 % 64 == 0 ? 1000 : 0;
		array->ea_len = 8;
	}
	return block;
}

static int dice_type(uint32_t metric)
{
	static const int types[] = {
	    PM_TYPE_32,     PM_TYPE_U32,       PM_TYPE_64,
	    PM_TYPE_U64,    PM_TYPE_FLOAT,     PM_TYPE_DOUBLE,
	    PM_TYPE_STRING, PM_TYPE_AGGREGATE, PM_TYPE_AGGREGATE_STATIC,
	    PM_TYPE_EVENT,  PM_TYPE_NOSUPPORT, PM_TYPE_HIGHRES_EVENT,
	};

	return types[dice(metric * 3 + 1) % ARRAY_SIZE(types)];
}

static int dice_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	static char texts[16][64];
	static const int codes[] = {PM_ERR_VALUE, PM_ERR_AGAIN, PM_ERR_APPVERSION, 0};
	uint32_t r = dice(metric->m_desc.pmid * 1000 + inst);
	int type = metric->m_desc.type;
	char *text = texts[r % 16];

	if (r >> 28 == 0)
		return codes[r % 4];
	atom->ull = (uint64_t)r << 32 | inst;
	if (type == PM_TYPE_STRING) {
		memset(text, 'a' + (int)(r % 26), sizeof(texts[0]));
		text[r / 32 % 60] = '\0';
		atom->cp = r >> 27 == 9 ? NULL : text;
		if (r >> 30 != 1 || atom->cp == NULL)
			return PMDA_FETCH_STATIC;
		atom->cp = dynamic_copy(text, strlen(text) + 1);
		return PMDA_FETCH_DYNAMIC;
	}
	if (type >= PM_TYPE_AGGREGATE && type != PM_TYPE_NOSUPPORT)
		atom->vbp = r >> 27 == 9 ? NULL : dice_block(r, metric, inst);
	if (type != PM_TYPE_AGGREGATE || r >> 30 != 1 || atom->vbp == NULL)
		return PMDA_FETCH_STATIC;
	atom->vbp = dynamic_copy(atom->vbp, 64);
	return PMDA_FETCH_DYNAMIC;
}

struct dice_agent {
	struct fixture f;
	pmdaIndom indoms[3];
	pmdaInstid insts[DICE_INSTANCES];
	pmdaMetric metrics[DICE_METRICS];
};

static void dice_init(struct dice_agent *a, uint32_t seed)
{
	pmdaExt *ext;

	dice_seed = seed;
	memset(a, 0, sizeof(*a));
	for (int i = 0; i < DICE_INSTANCES; i++)
		a->insts[i] = (pmdaInstid){i * 3, NULL};
	for (int i = 0; i < 3; i++)
		a->indoms[i] = (pmdaIndom){fixture_indom(20 + i), i * 65, a->insts};
	for (uint32_t m = 0; m < DICE_METRICS; m++) {
		uint32_t in = dice(m) % 6;

		a->metrics[m].m_desc.pmid = fixture_pmid((int)m);
		a->metrics[m].m_desc.type = dice_type(m);
		a->metrics[m].m_desc.indom =
		    in < 3 ? PM_INDOM_NULL : fixture_indom(20 + (int)in - 3);
	}
	a->f.dispatch.domain = FIXTURE_DOMAIN;
	pmdaDSO(&a->f.dispatch, PMDA_INTERFACE_7, (char *)"dice", NULL);
	pmdaSetFetchCallBack(&a->f.dispatch, dice_fetch);
	pmdaInit(&a->f.dispatch, NULL, 0, a->metrics, DICE_METRICS);
	ext = a->f.dispatch.version.any.ext;
	ext->e_indoms = a->indoms;
	ext->e_nindoms = 3;
}

static void test_by_chance(void **state)
{
	struct dice_agent a;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		pmID pmids[50];
		int n = 1 + (int)(dice(seed) % 50);

		dice_init(&a, seed);
		for (int i = 0; i < n; i++)
			pmids[i] = fixture_pmid((int)(dice((uint32_t)i + 7) % (DICE_METRICS + 2)));
		ndynamic = dynamic_freed = 0;
		check_same(&a.f, n, pmids);
		assert_int_equal(dynamic_freed, ndynamic);
		ndynamic = 0;
	}
}

/* Each allocation fails in turn: the buffer holds what it held, and nothing is lost. */
static void test_starved(void **state)
{
	struct buffer expect = BUFFER_INIT;
	struct dice_agent a;
	pmID pmids[DICE_METRICS];
	int n = 0, r;

	dice_init(&a, 4);
	for (int i = 0; i < DICE_METRICS; i++)
		pmids[i] = fixture_pmid(i);
	buffer_put(&expect, before, sizeof(before));
	assert_int_equal(by_result(&a.f, PDU_RESULT, DICE_METRICS, pmids, &expect), 0);
	do {
		struct buffer got = BUFFER_INIT;

		buffer_put(&got, before, sizeof(before));
		ndynamic = dynamic_freed = 0;
		starve_left = n++;
		r = straight(&a.f, PDU_RESULT, DICE_METRICS, pmids, &got);
		starve_left = -1;
		assert_int_equal(dynamic_freed, ndynamic);
		ndynamic = 0;
		assert_int_equal(got.err, 0);
		assert_memory_equal(got.data, before, sizeof(before));
		assert_true(r == 1 || r == -ENOMEM);
		assert_int_equal(got.len, r == 1 ? expect.len : sizeof(before));
		if (r == 1)
			assert_memory_equal(got.data, expect.data, got.len);
		buffer_done(&got);
	} while (r != 1);
	assert_true(n > 3);
	buffer_done(&expect);
}

/* A domain that grows while it is walked, after a metric that already has blocks. */
static pmdaInstid many[5000];
static pmdaIndom *growing;

static int grow_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	if (metric->m_desc.indom != PM_INDOM_NULL && growing->it_numinst < 5000)
		growing->it_numinst++;
	atom->ull = inst;
	return PMDA_FETCH_STATIC;
}

static void test_growth(void **state)
{
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR), fixture_pmid(ITEM_64)};
	struct buffer first = BUFFER_INIT, second = BUFFER_INIT;
	struct fixture f;

	for (int i = 0; i < 5000; i++)
		many[i].i_inst = i;
	fixture_init(&f, PMDA_INTERFACE_7, 0);
	growing = &f.indoms[0];
	growing->it_set = many;
	growing->it_numinst = 2;
	f.metrics[ITEM_COLOR].m_desc.type = PM_TYPE_U64;
	pmdaSetFetchCallBack(&f.dispatch, grow_fetch);
	assert_int_equal(straight(&f, PDU_RESULT, 3, pmids, &first), 1);
	assert_int_equal(by_result(&f, PDU_RESULT, 3, pmids, &second), 0);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	buffer_done(&first);
	buffer_done(&second);
}

/* ---- methods of an agent's own ---- */

static pmResult *seen;

/* Looks into the result, so it must be one. */
static int looking(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = pmdaFetch(n, pmids, result, ext);

	seen = *result;
	assert_int_equal((*result)->numpmid, n);
	return r;
}

/* A method of the agent's own is called, even if it does nothing but call pmdaFetch. */
static int wrapping(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	return pmdaFetch(n, pmids, result, ext);
}

/* Requests other metrics than those that it was asked for. */
static int asking_more(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	static pmID other;

	other = fixture_pmid(ITEM_STRING);
	return pmdaFetch(1, &other, result, ext);
}

static int failing(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	return PM_ERR_AGAIN;
}

static void keep_result(pmResult *result)
{
	__pmFreeResultValues(result);
}

static void test_methods(void **state)
{
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR)};
	struct buffer b = BUFFER_INIT;
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	f.dispatch.version.any.fetch = looking;
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 0);
	assert_non_null(seen);
	f.dispatch.version.any.fetch = asking_more;
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 0);
	f.dispatch.version.any.fetch = failing;
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), PM_ERR_AGAIN);
	assert_int_equal(b.len, 0);
	f.dispatch.version.any.fetch = wrapping;
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 0);
	f.dispatch.version.any.fetch = pmdaFetch;
	check_same(&f, 2, pmids);
	pmdaSetResultCallBack(&f.dispatch, keep_result);
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 0);
	buffer_done(&b);
}

/* A copy of the interface structure that is unknown to the library. */
static void test_moved_interface(void **state)
{
	pmID pmid = fixture_pmid(ITEM_U64);
	struct buffer b = BUFFER_INIT;
	struct fixture f, copy;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	copy = f;
	assert_int_equal(straight(&copy, PDU_RESULT, 1, &pmid, &b), 0);
	pmdaInterfaceMoved(&copy.dispatch);
	assert_int_equal(straight(&copy, PDU_RESULT, 1, &pmid, &b), 1);
	buffer_done(&b);
}

/* A collector with a sink of another version gets a pmResult. */
static void test_other_version(void **state)
{
	pmID pmid = fixture_pmid(ITEM_U64);
	struct buffer b = BUFFER_INIT;
	struct result_pdu pdu;
	unsigned char changes;
	pmResult *result;
	struct fixture f;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	result_pdu_begin(&pdu, &b, PDU_RESULT, 0, 1);
	pdu.sink.version++;
	assert_int_equal(pitot_fetch_sink(&f.dispatch, 1, &pmid, &pdu.sink, &result, &changes), 0);
	assert_int_equal(result->vset[0]->numval, 1);
	__pmFreeResultValues(result);
	result_pdu_cancel(&pdu);
	buffer_done(&b);
}

/* ---- agent_set_refresh ---- */

static int refreshes, refresh_status;

static int count_refresh(int n, pmID *pmids, pmdaExt *ext)
{
	assert_int_equal(n, 2);
	assert_int_equal(pmids[1], fixture_pmid(ITEM_COLOR));
	refreshes++;
	return refresh_status;
}

/* It is called once a fetch, in both forms and under a method of the agent's own; its error is the
 * fetch's. */
static void test_refresh(void **state)
{
	pmID pmids[] = {fixture_pmid(ITEM_U64), fixture_pmid(ITEM_COLOR)};
	struct buffer b = BUFFER_INIT;
	struct fixture f;
	pmResult *result;

	fixture_init(&f, PMDA_INTERFACE_7, 0);
	agent_set_refresh(&f.dispatch, count_refresh);
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 1);
	assert_int_equal(refreshes, 1);
	assert_int_equal(pmdaFetch(2, pmids, &result, f.dispatch.version.any.ext), 0);
	__pmFreeResultValues(result);
	assert_int_equal(refreshes, 2);
	f.dispatch.version.any.fetch = wrapping;
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), 0);
	assert_int_equal(refreshes, 3);
	f.dispatch.version.any.fetch = pmdaFetch;
	refresh_status = PM_ERR_AGAIN;
	buffer_reset(&b);
	assert_int_equal(straight(&f, PDU_RESULT, 2, pmids, &b), PM_ERR_AGAIN);
	assert_int_equal(b.len, 0);
	assert_int_equal(pmdaFetch(2, pmids, &result, f.dispatch.version.any.ext), PM_ERR_AGAIN);
	agent_set_refresh(&f.dispatch, NULL);
	check_same(&f, 2, pmids);
	assert_int_equal(refreshes, 5);
	buffer_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_item),       cmocka_unit_test(test_all_items),
	    cmocka_unit_test(test_profiles),        cmocka_unit_test(test_state_changes),
	    cmocka_unit_test(test_by_chance),       cmocka_unit_test(test_starved),
	    cmocka_unit_test(test_growth),          cmocka_unit_test(test_methods),
	    cmocka_unit_test(test_moved_interface), cmocka_unit_test(test_other_version),
	    cmocka_unit_test(test_refresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
