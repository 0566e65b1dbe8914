/*
 * agent_table - rows: what each field type gives, which clusters a fetch reads, which rows are
 * refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pond.h"

static pmdaInterface dispatch;

static int open_pond(void **state)
{
	pond_open(&pond, &dispatch);
	return dispatch.status;
}

static void test_field_types(void **state)
{
	char *text;

	assert_int_equal(pond_fetch(&dispatch, 3, 0), 1);
	assert_true(pond_atom(0, PM_TYPE_U64).ull == UINT64_MAX - 1);
	assert_int_equal(pond_fetch(&dispatch, 3, 1), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, UINT32_MAX);
	assert_int_equal(pond_fetch(&dispatch, 3, 2), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, 7);
	assert_int_equal(pond_fetch(&dispatch, 3, 3), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_32).l, -1);
	assert_int_equal(pond_fetch(&dispatch, 3, 4), 1);
	assert_true(pond_atom(0, PM_TYPE_64).ll == -1);
	assert_int_equal(pond_fetch(&dispatch, 3, 5), 1);
	assert_true(pond_atom(0, PM_TYPE_FLOAT).f == 0.5f);
	assert_int_equal(pond_fetch(&dispatch, 3, 6), 1);
	assert_true(pond_atom(0, PM_TYPE_DOUBLE).d == -2.5);
	assert_int_equal(pond_fetch(&dispatch, 3, 7), 1);
	text = pond_atom(0, PM_TYPE_STRING).cp;
	assert_string_equal(text, "text");
	free(text);
}

static void test_absent(void **state)
{
	static const struct {
		int status;
		int never;
		int gone;
	} cases[] = {
	    {0, 0, PM_ERR_APPVERSION},
	    {-ENOENT, 0, PM_ERR_APPVERSION},
	    {-EACCES, PM_ERR_PERMISSION, PM_ERR_PERMISSION},
	    {-EPERM, PM_ERR_PERMISSION, PM_ERR_PERMISSION},
	    {-EAGAIN, PM_ERR_AGAIN, PM_ERR_AGAIN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pond_world.status = cases[i].status;
		assert_int_equal(pond_fetch(&dispatch, 3, 8), cases[i].never);
		assert_int_equal(pond_fetch(&dispatch, 3, 9), cases[i].gone);
		assert_int_equal(pond_fetch(&dispatch, 3, 2), 1); /* what was filled counts */
	}
}

static void test_unknown_pmid(void **state)
{
	assert_int_equal(pond_fetch(&dispatch, 3, 77), PM_ERR_PMID);
	assert_int_equal(pond_fetch(&dispatch, 77, 0), PM_ERR_PMID);
}

static void test_one_read_a_fetch(void **state)
{
	pmID pmids[] = {pmID_build(400, 3, 0), pmID_build(400, 3, 2), pmID_build(400, 1, 1)};
	pmResult *result;

	assert_int_equal(dispatch.version.four.fetch(3, pmids, &result, dispatch.version.four.ext),
			 0);
	assert_int_equal(pond_world.depth_reads, 1);
	assert_int_equal(pond_world.depth_wanted, 1);
	assert_int_equal(pond_world.rings_reads, 1);
	assert_int_equal(pond_world.birds_reads, 1); /* it defines the birds */
	assert_int_equal(pond_world.nests_reads, 0);
	pond_fetch(&dispatch, 3, 0);
	assert_int_equal(pond_world.depth_reads, 2);
	assert_int_equal(pond_world.depth_wanted, 0);
	assert_int_equal(pond_world.birds_reads, 1);
}

static void test_young_enough(void **state)
{
	pond_world.given[0] = 3;
	pond_world.given[1] = -1;
	assert_int_equal(pond_fetch(&dispatch, 2, 0), 1);
	assert_int_equal(pond_fetch(&dispatch, 2, 0), 1);
	assert_int_equal(pond_world.nests_reads, 1);
}

static void test_own_metrics(void **state)
{
	pond_fetch(&dispatch, 3, 0);
	pond_world.status = -EIO;
	pond_fetch(&dispatch, 3, 0);
	assert_int_equal(pond_fetch(&dispatch, AGENT_SELF, 0), 6); /* five clusters and itself */
	assert_int_equal(pond_inst(3), 3);
	assert_true(pond_atom(3, PM_TYPE_U64).ull == 2);
	assert_true(pond_atom(0, PM_TYPE_U64).ull == 0);
	assert_int_equal(pond_fetch(&dispatch, AGENT_SELF, 1), 6);
	assert_true(pond_atom(3, PM_TYPE_U64).ull == 1);
	assert_int_equal(pond_fetch(&dispatch, AGENT_SELF, 5), 6);
	assert_int_equal(pond_atom(3, PM_TYPE_32).l, -EIO);
}

/* Agents with one invalid row. */
struct box {
	uint32_t narrow;
	uint64_t wide;
	float real;
	double wide_real;
	const char *text;
};

static int no_refresh(struct agent_refresh *r, void *snapshot)
{
	return 0;
}

static const struct agent_indom nowhere = {7, 0, NULL, 0, "Nowhere", NULL};

#define WIDE   AGENT_FIELD(struct box, wide)
#define NARROW AGENT_FIELD(struct box, narrow)
#define REAL   AGENT_FIELD(struct box, real)
#define TEXT   AGENT_FIELD(struct box, text)

/* clang-format off */
static const struct agent_metric bad_rows[] = {
	{ "x.narrow", 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, NARROW, "", NULL, 0 },
	{ "x.float", 1, 0, PM_TYPE_FLOAT, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.type", 1, 0, PM_TYPE_EVENT, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.item", 1, 1024, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.cluster", 4096, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.self", AGENT_SELF, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.outside", 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, { 64, 8 }, "", NULL, 0 },
	{ "x.indom", 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, &nowhere, AGENT_NONE, WIDE, "", NULL, 0 },
	/* of the right width, and of another kind */
	{ "x.u32", 1, 0, PM_TYPE_U32, PM_SEM_INSTANT, NULL, AGENT_NONE, REAL, "", NULL, 0 },
	{ "x.f32", 1, 0, PM_TYPE_FLOAT, PM_SEM_INSTANT, NULL, AGENT_NONE, NARROW, "", NULL, 0 },
	{ "x.f64", 1, 0, PM_TYPE_DOUBLE, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.text", 1, 0, PM_TYPE_STRING, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.number", 1, 0, PM_TYPE_64, PM_SEM_INSTANT, NULL, AGENT_NONE, TEXT, "", NULL, 0 },
	{ NULL, 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "", 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
	{ "x.silent", 1, 0, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, NULL, NULL, 0 },
};
/* clang-format on */

static int open_one(const struct agent_metric *rows, unsigned int n, struct agent_fill fill)
{
	const struct agent_cluster cluster = {
	    .name = "bad",
	    .size = sizeof(struct box),
	    .refresh = no_refresh,
	    .metrics = rows,
	    .nmetrics = n,
	    .fills = {fill},
	};
	const struct agent_cluster *const list[] = {&cluster};
	const struct agent bad = {"bad", 401, list, 1};
	pmdaInterface d;

	pond_open(&bad, &d);
	return d.status;
}

static void test_bad_rows(void **state)
{
	const struct agent_fill none = {NULL, 0, 0};
	const struct agent_fill undefined = {&nowhere, sizeof(struct box), 0};
	struct agent_metric twice[2];

	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(bad_rows[0]); i++)
		assert_int_equal(open_one(&bad_rows[i], 1, none), -EINVAL);
	assert_int_equal(open_one(&bad_rows[7], 1, undefined), -EINVAL);
	twice[0] = bad_rows[0];
	twice[0].type = PM_TYPE_U32;
	twice[1] = twice[0];
	assert_int_equal(open_one(twice, 2, none), -EINVAL);
	twice[1].item = 1; /* and now the name alone */
	assert_int_equal(open_one(twice, 2, none), -EINVAL);
}

/* Each kind of member as what it is. */
static void test_good_rows(void **state)
{
	/* clang-format off */
	static const struct agent_metric rows[] = {
		{ "x.a", 1, 0, PM_TYPE_U32, PM_SEM_INSTANT, NULL, AGENT_NONE, NARROW, "", NULL, 0 },
		{ "x.b", 1, 1, PM_TYPE_32, PM_SEM_INSTANT, NULL, AGENT_NONE, WIDE, "", NULL, 0 },
		{ "x.c", 1, 2, PM_TYPE_FLOAT, PM_SEM_INSTANT, NULL, AGENT_NONE, REAL, "", NULL, 0 },
		{ "x.d", 1, 3, PM_TYPE_DOUBLE, PM_SEM_INSTANT, NULL, AGENT_NONE, AGENT_FIELD(struct box, wide_real), "", NULL, 0 },
		{ "x.e", 1, 4, PM_TYPE_STRING, PM_SEM_INSTANT, NULL, AGENT_NONE, TEXT, "", NULL, 0 },
		/* as with a compiler that does not check types, or with an older header */
		{ "x.f", 1, 5, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, { 8, 8 }, "", NULL, 0 },
	};
	/* clang-format on */
	const struct agent_fill none = {NULL, 0, 0};

	assert_int_equal(open_one(rows, sizeof(rows) / sizeof(rows[0]), none), 0);
}

/* The agent itself, and its clusters. */
static void test_bad_agents(void **state)
{
	static const struct agent_cluster good = {.name = "good", .refresh = no_refresh},
					  lazy = {.name = "lazy"},
					  nameless = {.refresh = no_refresh},
					  lost = {
					      .name = "lost", .refresh = no_refresh, .nmetrics = 1};
	static const struct agent_cluster *const lists[] = {&good, &lazy, &nameless, &lost, NULL};
	static const int domains[] = {-1, 0, 511, 902, 65536 + 400};
	pmdaInterface d;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct agent bad = {"bad", 401, &lists[i], 1};

		pond_open(&bad, &d);
		assert_int_equal(d.status, i == 0 ? 0 : -EINVAL);
	}
	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
		const struct agent bad = {"bad", domains[i], lists, 1};

		assert_int_equal(agent_print_pmns(&bad, domains[i], stderr), -EINVAL);
	}
}

static void test_no_root(void **state)
{
	pmdaInterface d;

	setenv("PITOT_POND_ROOT", "/no/such/folder", 1);
	pond_open(&pond, &d);
	unsetenv("PITOT_POND_ROOT");
	assert_int_equal(d.status, -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_field_types, open_pond),
	    cmocka_unit_test_setup(test_absent, open_pond),
	    cmocka_unit_test_setup(test_unknown_pmid, open_pond),
	    cmocka_unit_test_setup(test_one_read_a_fetch, open_pond),
	    cmocka_unit_test_setup(test_young_enough, open_pond),
	    cmocka_unit_test_setup(test_own_metrics, open_pond),
	    cmocka_unit_test(test_bad_rows),
	    cmocka_unit_test(test_good_rows),
	    cmocka_unit_test(test_bad_agents),
	    cmocka_unit_test(test_no_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
