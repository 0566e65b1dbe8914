/*
 * agent_calls - rows whose values are computed and stored by call-backs, instance domains that the
 * agent keeps itself, metrics and names that are known at run time, and the hooks of an agent.
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

enum { DOMAIN = 400, LEAVES = 9 };

/* ---- the agent "lake" ----------------------------------------------------------------------- */

struct boat {
	uint32_t crew;
	const char *captain;
};

static struct {
	int begin_status, fetch_status; /* what the hooks return */
	int begins, ends, last_end;
	enum agent_request last_request;
	int leaves; /* metrics that the hook "row" has */
	int stored; /* the last stored number, its instance and the row's arg */
	int stored_inst;
	long long stored_arg;
	char stored_text[16];
	int refreshes;
} lake;

static struct boat boats[] = {{3, "Ann"}, {UINT32_MAX, "Bea"}};
static pmdaInstid boat_instances[] = {{7, "seven"}, {8, "eight"}, {9, "nine"}};

static void *boat_find(const struct agent_indom *indom, int inst)
{
	return inst == 7 || inst == 8 ? &boats[inst - 7] : NULL;
}

static const struct agent_instance shores[] = {{0, "east"}, {1, "west"}};
static const struct agent_indom shore_indom = {1, 0, shores, 2, "Shores", "Two."};
static const struct agent_indom boat_indom = {
    .serial = 2, .oneline = "Boats", .own = 1, .find = boat_find};
static const struct agent_indom buoy_indom = {.serial = 3, .oneline = "Buoys", .own = 1};
static const struct agent_indom fish_indom = {4, 1, NULL, 0, "Fish", NULL};

static int get_arg(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ll = call->metric->value.arg + (call->inst == (int)PM_IN_NULL ? 0 : call->inst);
	return 1;
}

static int get_nothing(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return (int)call->metric->value.arg;
}

static int get_text(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->cp = strdup("made");
	return ret_atom->cp != NULL ? PMDA_FETCH_DYNAMIC : -ENOMEM;
}

static int get_captain(const struct agent_call *call, pmAtomValue *ret_atom)
{
	const struct boat *boat = call->from;

	ret_atom->cp = (char *)(uintptr_t)boat->captain;
	return 1;
}

static int get_depth(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = 2 * *(const uint32_t *)call->from;
	return 1;
}

static int get_context(const struct agent_call *call, pmAtomValue *ret_atom)
{
	assert_int_equal(ret_atom->ull, 0);
	ret_atom->l = call->ext->e_context;
	return 1;
}

static int store_number(const struct agent_call *call, const pmAtomValue *atom)
{
	if (atom->l == 99)
		return PM_ERR_BADSTORE;
	if (call->inst == 8)
		return -ESRCH;
	lake.stored = atom->l;
	lake.stored_inst = call->inst;
	lake.stored_arg = call->metric->value.arg;
	return 0;
}

static int store_text(const struct agent_call *call, const pmAtomValue *atom)
{
	snprintf(lake.stored_text, sizeof(lake.stored_text), "%s", atom->cp);
	return 0;
}

#define ONE      NULL
#define BOAT(of) AGENT_FIELD(struct boat, of)

/* clang-format off */
static const struct agent_metric calls[] = {
	{ "lake.arg", 0, 0, PM_TYPE_64, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_CALLS(get_arg, store_number, 5),
	  "A number", "It is the row's.", 0 },
	{ "lake.error", 0, 1, PM_TYPE_32, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_GET_ARG(get_nothing, PM_ERR_AGAIN), "E", NULL, 0 },
	{ "lake.none", 0, 2, PM_TYPE_32, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_GET(get_nothing), "N", NULL, 0 },
	{ "lake.text", 0, 3, PM_TYPE_STRING, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_GET_STORE(get_text, store_text), "T", NULL, 0 },
	{ "lake.context", 0, 4, PM_TYPE_32, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_GET(get_context), "C", NULL, 0 },
	{ "lake.param", 0, 5, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_NO_VALUE, "P", NULL, 0 },
	{ "lake.shore", 1, 0, PM_TYPE_64, PM_SEM_INSTANT, &shore_indom, AGENT_NONE, AGENT_CALLS(get_arg, store_number, 100), "S", NULL, 0 },
	{ "lake.boat.crew", 2, 0, PM_TYPE_U32, PM_SEM_INSTANT, &boat_indom, AGENT_COUNT, BOAT(crew), "B", NULL, 0 },
	{ "lake.boat.captain", 2, 1, PM_TYPE_STRING, PM_SEM_INSTANT, &boat_indom, AGENT_NONE, AGENT_GET_STORE(get_captain, store_number),
	  "B", NULL, 0 },
	{ "lake.boat.course", 2, 2, PM_TYPE_32, PM_SEM_INSTANT, &boat_indom, AGENT_NONE, AGENT_GET_STORE(get_nothing, store_number), "B",
	  NULL, 0 },
	{ "lake.buoy", 3, 0, PM_TYPE_64, PM_SEM_INSTANT, &buoy_indom, AGENT_NONE, AGENT_GET_STORE(get_arg, store_number), "B", NULL, 0 },
};
static const struct agent_metric fish_rows[] = {
	{ "lake.fish.depth", 4, 0, PM_TYPE_U32, PM_SEM_INSTANT, &fish_indom, AGENT_NONE, AGENT_GET_STORE(get_depth, store_number), "F",
	  NULL, 0 },
	{ "lake.depth", 4, 1, PM_TYPE_U32, PM_SEM_INSTANT, ONE, AGENT_NONE, AGENT_GET(get_depth), "D", NULL, 0 },
	{ "lake.field", 4, 2, PM_TYPE_U32, PM_SEM_INSTANT, ONE, AGENT_NONE, { 0, 4, AGENT_KIND_INTEGER, NULL }, "D",
	  NULL, 0 },
};
/* clang-format on */

static int fish_refresh(struct agent_refresh *r, void *snapshot)
{
	uint32_t *depth = snapshot, *fish;

	lake.refreshes++;
	*depth = 11;
	for (uint32_t i = 1; i <= 2; i++) {
		fish = agent_add_id(r, &fish_indom, (int)i, i == 1 ? "eel" : "pike");
		if (fish == NULL)
			return -ENOMEM;
		*fish = i;
	}
	return 0;
}

static const struct agent_cluster call_cluster = {
    .name = "calls", .metrics = calls, .nmetrics = sizeof(calls) / sizeof(calls[0])};
static const struct agent_cluster fish_cluster = {
    .name = "fish",
    .size = sizeof(uint32_t),
    .refresh = fish_refresh,
    .metrics = fish_rows,
    .nmetrics = sizeof(fish_rows) / sizeof(fish_rows[0]),
    .fills = {{&fish_indom, sizeof(uint32_t), 1}},
};
static const struct agent_cluster *const clusters[] = {&call_cluster, &fish_cluster};

/* ---- its hooks ------------------------------------------------------------------------------ */

static int lake_begin(enum agent_request request, pmdaExt *ext)
{
	lake.begins++;
	lake.last_request = request;
	return lake.begin_status;
}

static void lake_end(enum agent_request request, int status, pmdaExt *ext)
{
	assert_int_equal(request, lake.last_request);
	lake.last_end = status;
	lake.ends++;
}

static int lake_fetch(int numpmid, const pmID *pmids, pmdaExt *ext)
{
	return lake.fetch_status;
}

/* Cluster 9 has as many metrics as there are leaves; the next one has the domain of the buoys. */
static const struct agent_metric *lake_row(unsigned int cluster, unsigned int item, pmdaExt *ext)
{
	static struct agent_metric leaf;

	if (cluster != LEAVES || (int)item > lake.leaves)
		return NULL;
	leaf = (struct agent_metric){
	    .cluster = LEAVES,
	    .item = (unsigned short)item,
	    .type = PM_TYPE_64,
	    .sem = PM_SEM_DISCRETE,
	    .indom = (int)item == lake.leaves ? &buoy_indom : NULL,
	    .value = AGENT_CALLS(get_arg, store_number, item),
	    .oneline = "A leaf",
	};
	return &leaf;
}

static void lake_names(pmdaNameSpace *tree, pmdaExt *ext)
{
	char name[32];

	for (int i = 0; i < lake.leaves; i++) {
		snprintf(name, sizeof(name), "sea.leaf.l%d", i);
		assert_int_equal(
		    pmdaTreeInsert(tree, pmID_build(DOMAIN, LEAVES, (unsigned int)i), name), 0);
	}
	assert_int_equal(agent_insert_names(ext, tree, "sea"), 0);
}

static int lake_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	return type == PM_LABEL_CLUSTER ? pmdaAddLabels(sets, "{\"water\":\"sweet\"}") : 0;
}

static const struct agent_hooks hooks = {
    .begin = lake_begin,
    .end = lake_end,
    .fetch = lake_fetch,
    .row = lake_row,
    .names = lake_names,
    .label = lake_label,
};

static const struct agent plain = {"lake", DOMAIN, clusters, 2, 0, NULL};
static const struct agent hooked = {"lake", DOMAIN, clusters, 2, AGENT_NO_SELF | AGENT_ONE_TEXT,
				    &hooks};

/* ---- requests ------------------------------------------------------------------------------- */

static pmdaInterface dispatch;

static pmdaExt *ext(void)
{
	return dispatch.version.any.ext;
}

static int open_agent(const struct agent *agent)
{
	pond_open(agent, &dispatch);
	memset(&lake, 0, sizeof(lake));
	if (dispatch.status == 0)
		agent_set_instances(ext(), &boat_indom, boat_instances, 3);
	return dispatch.status;
}

static int open_plain(void **state)
{
	return open_agent(&plain);
}

static int open_hooked(void **state)
{
	return open_agent(&hooked);
}

static int fetch(unsigned int cluster, unsigned int item)
{
	return pond_fetch(&dispatch, cluster, item);
}

/* Stores a number for n instances from the first on. */
static int store(unsigned int cluster, unsigned int item, int number, int inst, int n)
{
	pmValueSet *set = calloc(1, sizeof(*set) + (size_t)n * sizeof(pmValue));
	pmResult result = {.numpmid = 1, .vset = {set}};
	int r;

	assert_non_null(set);
	set->pmid = pmID_build(DOMAIN, cluster, item);
	set->numval = n;
	set->valfmt = PM_VAL_INSITU;
	for (int i = 0; i < n; i++)
		set->vlist[i] = (pmValue){.inst = inst + i, .value.lval = number};
	r = dispatch.version.any.store(&result, ext());
	free(set);
	return r;
}

/* ---- values --------------------------------------------------------------------------------- */

static void test_values(void **state)
{
	char *text;

	assert_int_equal(fetch(0, 0), 1);
	assert_true(pond_atom(0, PM_TYPE_64).ll == 5);
	assert_int_equal(fetch(0, 1), PM_ERR_AGAIN);
	assert_int_equal(fetch(0, 2), 0);
	assert_int_equal(fetch(0, 3), 1);
	text = pond_atom(0, PM_TYPE_STRING).cp;
	assert_string_equal(text, "made");
	free(text);
	ext()->e_context = 3;
	assert_int_equal(fetch(0, 4), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_32).l, 3);
	assert_int_equal(fetch(0, 5), 0);
	assert_int_equal(lake.refreshes, 0);
}

static void test_fixed_instances(void **state)
{
	assert_int_equal(fetch(1, 0), 2);
	assert_true(pond_atom(0, PM_TYPE_64).ll == 100);
	assert_true(pond_atom(1, PM_TYPE_64).ll == 101);
}

/* Fields of the agent's own structs, and call-backs that get them. The third has none. */
static void test_own_instances(void **state)
{
	char *text;

	assert_int_equal(fetch(2, 0), 1);
	assert_int_equal(pond_inst(0), 7);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, 3);
	assert_int_equal(fetch(2, 1), 2);
	text = pond_atom(1, PM_TYPE_STRING).cp;
	assert_string_equal(text, "Bea");
	free(text);
	agent_set_instances(ext(), &boat_indom, boat_instances + 2, 1);
	assert_int_equal(fetch(2, 0), PM_ERR_INST);
	agent_set_instances(ext(), &boat_indom, NULL, 0);
	assert_int_equal(fetch(2, 0), 0);
	assert_int_equal(fetch(3, 0), 0);
	agent_set_instances(ext(), &buoy_indom, boat_instances, 2);
	assert_int_equal(fetch(3, 0), 2);
	assert_true(pond_atom(1, PM_TYPE_64).ll == 8);
}

/* Of a cluster with a refresh: from the snapshot, and from the struct of an instance. */
static void test_structs_of_refresh(void **state)
{
	assert_int_equal(fetch(4, 0), 2);
	assert_int_equal(pond_atom(1, PM_TYPE_U32).ul, 4);
	assert_int_equal(fetch(4, 1), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, 22);
	assert_int_equal(fetch(4, 2), 1);
	assert_int_equal(pond_atom(0, PM_TYPE_U32).ul, 11);
	assert_int_equal(lake.refreshes, 3);
}

/* ---- stores --------------------------------------------------------------------------------- */

static void test_stores(void **state)
{
	assert_int_equal(store(0, 0, 6, (int)PM_IN_NULL, 1), PM_ERR_CONV); /* 32 bits for 64 */
	assert_int_equal(store(0, 1, 6, (int)PM_IN_NULL, 1), PM_ERR_PERMISSION);
	assert_int_equal(store(0, 77, 6, (int)PM_IN_NULL, 1), PM_ERR_PMID);
	assert_int_equal(store(0, 3, 6, (int)PM_IN_NULL, 1), PM_ERR_CONV);
	assert_int_equal(store(4, 0, 6, 2, 1), 0); /* without a fetch before it */
	assert_int_equal(lake.stored, 6);
	assert_int_equal(lake.stored_inst, 2);
	assert_int_equal(store(4, 0, 6, 3, 1), PM_ERR_INST);
	assert_int_equal(store(1, 0, 6, 2, 1), PM_ERR_INST);
	assert_int_equal(store(2, 2, 6, 9, 1), PM_ERR_INST);
	assert_int_equal(store(2, 2, 99, 7, 1), PM_ERR_BADSTORE);
}

/* An instance that has ended is an error only if it is alone. */
static void test_store_ended(void **state)
{
	assert_int_equal(store(2, 2, 1, 8, 1), -ESRCH);
	assert_int_equal(store(2, 2, 2, 7, 2), 0);
	assert_int_equal(lake.stored, 2);
	assert_int_equal(lake.stored_inst, 7);
}

static void test_store_text(void **state)
{
	struct {
		pmValueBlock head;
		char text[8];
	} block = {.head = {.vtype = PM_TYPE_STRING, .vlen = PM_VAL_HDR_SIZE + 5}};
	pmValueSet set = {.pmid = pmID_build(DOMAIN, 0, 3), .numval = 1, .valfmt = PM_VAL_DPTR};
	pmResult result = {.numpmid = 1, .vset = {&set}};

	memcpy(block.head.vbuf, "swan", 5);
	set.vlist[0] = (pmValue){.inst = PM_IN_NULL, .value.pval = &block.head};
	assert_int_equal(dispatch.version.any.store(&result, ext()), 0);
	assert_string_equal(lake.stored_text, "swan");
}

/* ---- hooks ---------------------------------------------------------------------------------- */

static void test_begin_and_end(void **state)
{
	pmID pmid = pmID_build(DOMAIN, LEAVES, 0);
	pmResult *result;
	pmDesc desc;

	lake.leaves = 1;
	assert_int_equal(fetch(LEAVES, 0), 1); /* a descriptor is asked for inside */
	assert_int_equal(lake.begins, 1);
	assert_int_equal(lake.ends, 1);
	assert_int_equal(lake.last_request, AGENT_REQUEST_FETCH);
	assert_int_equal(store(0, 1, 1, 0, 1), PM_ERR_PERMISSION);
	assert_int_equal(lake.last_end, PM_ERR_PERMISSION);
	assert_int_equal(lake.last_request, AGENT_REQUEST_STORE);
	lake.fetch_status = -EPIPE;
	assert_int_equal(dispatch.version.any.fetch(1, &pmid, &result, ext()), -EPIPE);
	assert_int_equal(lake.last_end, -EPIPE);
	lake.begin_status = PM_ERR_PMDANOTREADY;
	assert_int_equal(dispatch.version.any.desc(pmid, &desc, ext()), PM_ERR_PMDANOTREADY);
	assert_int_equal(dispatch.version.any.profile(NULL, ext()), PM_ERR_PMDANOTREADY);
	assert_int_equal(lake.begins, 5);
	assert_int_equal(lake.ends, 3);
}

static void test_rows_at_run_time(void **state)
{
	pmID pmid = pmID_build(DOMAIN, LEAVES, 1);
	pmDesc desc;
	char *text;

	assert_int_equal(fetch(LEAVES, 1), PM_ERR_PMID);
	assert_int_equal(dispatch.version.any.desc(pmid, &desc, ext()), PM_ERR_PMID);
	assert_int_equal(store(LEAVES, 1, 1, 0, 1), PM_ERR_PMID);
	lake.leaves = 3;
	assert_int_equal(fetch(LEAVES, 2), 1);
	assert_true(pond_atom(0, PM_TYPE_64).ll == 2);
	assert_int_equal(dispatch.version.any.desc(pmid, &desc, ext()), 0);
	assert_int_equal(desc.pmid, pmid);
	assert_int_equal(desc.type, PM_TYPE_64);
	assert_int_equal(desc.indom, PM_INDOM_NULL);
	assert_int_equal(
	    dispatch.version.any.text((int)pmid, PM_TEXT_PMID | PM_TEXT_HELP, &text, ext()), 0);
	assert_string_equal(text, "A leaf");
	agent_set_instances(ext(), &buoy_indom, boat_instances, 3);
	assert_int_equal(fetch(LEAVES, 3), 3);
	assert_true(pond_atom(0, PM_TYPE_64).ll == 10);
}

static int children(const char *name, char ***ret_names)
{
	int *status, n;

	n = dispatch.version.seven.children(name, 0, ret_names, &status, ext());
	if (n > 0)
		free(status);
	return n;
}

static void test_names_at_run_time(void **state)
{
	char **names;
	pmID pmid;

	assert_int_equal(children("sea", &names), 12);
	assert_string_equal(names[0], "arg"); /* in the order of the rows */
	assert_string_equal(names[11], "field");
	free(names);
	lake.leaves = 2;
	assert_int_equal(children("sea.leaf", &names), PM_ERR_NAME);
	agent_names_changed(ext());
	assert_true((ext()->e_flags & PMDA_EXT_NAMES_CHANGE) != 0);
	assert_int_equal(children("sea.leaf", &names), 2);
	free(names);
	assert_int_equal(dispatch.version.seven.pmid("sea.leaf.l1", &pmid, ext()), 0);
	assert_int_equal(pmid, pmID_build(DOMAIN, LEAVES, 1));
	assert_int_equal(dispatch.version.seven.pmid("lake.arg", &pmid, ext()), PM_ERR_NAME);
	assert_int_equal(dispatch.version.seven.name(pmid, &names, ext()), 1);
	assert_string_equal(names[0], "sea.leaf.l1");
	free(names);
}

static void test_label(void **state)
{
	pmLabelSet *set = NULL;
	int n = dispatch.version.seven.label((int)pmID_build(DOMAIN, 0, 0), PM_LABEL_CLUSTER, &set,
					     ext());

	assert_int_equal(n, 1);
	assert_string_equal(set->json, "{\"water\":\"sweet\"}");
	pmFreeLabelSets(set, 1);
}

static void test_flags(void **state)
{
	pmID pmid = pmID_build(DOMAIN, 0, 0);
	char *text;

	assert_int_equal(fetch(AGENT_SELF, 0), PM_ERR_PMID);
	assert_int_equal(
	    dispatch.version.any.text((int)pmid, PM_TEXT_PMID | PM_TEXT_HELP, &text, ext()), 0);
	assert_string_equal(text, "A number");
	open_plain(NULL);
	assert_int_equal(fetch(AGENT_SELF, 0), 3);
	assert_int_equal(
	    dispatch.version.any.text((int)pmid, PM_TEXT_PMID | PM_TEXT_HELP, &text, ext()), 0);
	assert_string_equal(text, "A number.\nIt is the row's.");
}

/* An agent may do without instance domains. */
static void test_no_domains(void **state)
{
	static const struct agent_cluster one = {.name = "one", .metrics = calls, .nmetrics = 1};
	static const struct agent_cluster *const list[] = {&one};
	static const struct agent small = {"lake", DOMAIN, list, 1, AGENT_NO_SELF, NULL};

	pond_open(&small, &dispatch);
	assert_int_equal(dispatch.status, 0);
	assert_int_equal(fetch(0, 0), 1);
}

/* With hooks around a request values are in a pmResult; without them they are written. */
static void test_fetch_method(void **state)
{
	assert_ptr_not_equal(dispatch.version.any.fetch, pmdaFetch);
	open_plain(NULL);
	assert_ptr_equal(dispatch.version.any.fetch, pmdaFetch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_values, open_plain),
	    cmocka_unit_test_setup(test_fixed_instances, open_plain),
	    cmocka_unit_test_setup(test_own_instances, open_plain),
	    cmocka_unit_test_setup(test_structs_of_refresh, open_plain),
	    cmocka_unit_test_setup(test_stores, open_plain),
	    cmocka_unit_test_setup(test_store_ended, open_plain),
	    cmocka_unit_test_setup(test_store_text, open_plain),
	    cmocka_unit_test_setup(test_begin_and_end, open_hooked),
	    cmocka_unit_test_setup(test_rows_at_run_time, open_hooked),
	    cmocka_unit_test_setup(test_names_at_run_time, open_hooked),
	    cmocka_unit_test_setup(test_label, open_hooked),
	    cmocka_unit_test_setup(test_flags, open_hooked),
	    cmocka_unit_test_setup(test_fetch_method, open_hooked),
	    cmocka_unit_test(test_no_domains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
