/*
 * test_dump - results and profiles as text, for both kinds of agents: no values, errors, one value,
 * several, value blocks, with and without descriptors, with and without names of instances.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/libpcp.h>

#include "capture.h"
#include "libbase/cleanup.h"
#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/session.h"

enum { METRICS = 8, VALUES = 4 };

#define PMID(item) (((pmID)250 << 22) | (item))
#define INDOM      (((pmInDom)250 << 22) | 3)

/* ---- an agent that knows the names of instances below 10 ---- */

static char *const named[] = {(char *)"red"};
static int asked;

static int name_instance(struct agent *agent, const struct question *q, struct answer *a)
{
	/* Metrics without a name in the name space: the agent has no name for them either. */
	if (q->kind == ASK_NAME)
		return PM_ERR_PMID;
	assert_int_equal(q->kind, ASK_INSTANCE);
	assert_int_equal(q->ident, INDOM);
	asked++;
	if (q->inst >= 10)
		return PM_ERR_INST;
	a->n = 1;
	a->names = named;
	return 0;
}

static const struct agent_ops in_process = {.ask = name_instance, .in_process = true};
static const struct agent_ops apart = {.ask = name_instance};
static struct agent agents[] = {{.ops = &in_process}, {.ops = &apart}};

/* ---- results ---- */

/* A number of equal values of a type. */
static pmValueSet *set_of(int item, int numval, int type, pmAtomValue atom)
{
	pmValueSet *set = calloc(1, sizeof(*set) + VALUES * sizeof(set->vlist[0]));

	assert_non_null(set);
	set->pmid = PMID(item);
	set->numval = numval;
	for (int i = 0; i < numval; i++) {
		set->vlist[i].inst = numval > 1 ? 5 * (i + 1) : (int)PM_IN_NULL;
		set->valfmt = __pmStuffValue(&atom, &set->vlist[i], type);
	}
	return set;
}

static pmResult *result_new(void)
{
	pmResult *result = calloc(1, sizeof(*result) + METRICS * sizeof(result->vset[0]));

	assert_non_null(result);
	return result;
}

static void result_free(pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++) {
		pmValueSet *set = result->vset[i];

		for (int j = 0; j < set->numval; j++) {
			if (set->valfmt == PM_VAL_DPTR)
				free(set->vlist[j].value.pval);
		}
		free(set);
	}
	free(result);
}

/* Without the address and the time of day, which differ in each run. */
static void assert_dump(struct session *s, const pmResult *result, const pmDesc *descs, int n,
			const char *expected)
{
	pmID pmids[METRICS];
	char *text, *body;

	for (int i = 0; i < n; i++)
		pmids[i] = descs[i].pmid;
	text = CAPTURE(dump_result(s, result, n, pmids, descs));
	body = strstr(text, " numpmid: ");
	assert_non_null(body);
	assert_string_equal(body, expected);
	free(text);
}

static void test_heads(void **state)
{
	static const struct {
		bool in_process;
		const char *begins, *then;
	} cases[] = {
	    {true, "pmResult dump from 0x", " timestamp: 1000.000042 "},
	    {false, "__pmResult dump from 0x", " timestamp: 1000.000000042 "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pmResult result = {.timestamp = {1000, 42}};
		struct session s = {.agent = &agents[!cases[i].in_process]};
		char *text = CAPTURE(dump_result(&s, &result, 0, NULL, NULL));

		assert_memory_equal(text, cases[i].begins, strlen(cases[i].begins));
		assert_non_null(strstr(text, cases[i].then));
		assert_non_null(strstr(text, " numpmid: 0\n"));
		free(text);
	}
}

static void test_without_descs(void **state)
{
	pmResult *result = result_new();
	struct session s = {.agent = &agents[0]};

	result->vset[0] = set_of(1, 0, PM_TYPE_U32, (pmAtomValue){0});
	result->vset[1] = set_of(2, 0, PM_TYPE_U32, (pmAtomValue){0});
	result->vset[1]->numval = PM_ERR_PMID;
	result->vset[2] = set_of(3, 1, PM_TYPE_U32, (pmAtomValue){.ul = 1});
	result->vset[3] = set_of(4, 1, PM_TYPE_STRING, (pmAtomValue){.cp = (char *)"abc"});
	result->vset[4] = set_of(5, 2, PM_TYPE_DOUBLE, (pmAtomValue){.d = 1.5});
	result->numpmid = 5;
	assert_dump(&s, result, NULL, 0,
		    " numpmid: 5\n"
		    "  250.0.1 (<noname>): No values returned!\n"
		    "  250.0.2 (<noname>): Unknown or illegal metric identifier\n"
		    "  250.0.3 (<noname>): numval: 1 valfmt: 0 vlist[]:\n"
		    "   value 1 1.4012985e-45 0x1\n"
		    "  250.0.4 (<noname>): numval: 1 valfmt: 1 vlist[]:\n"
		    "   value \"abc\"\n"
		    "  250.0.5 (<noname>): numval: 2 valfmt: 1 vlist[]:\n"
		    "    inst [5 or ???] value 1.5\n"
		    "    inst [10 or ???] value 1.5\n");
	assert_int_equal(asked, 0);
	result_free(result);
}

#define SETS_WITH(name_of_5)                                                                       \
	" numpmid: 3\n"                                                                            \
	"  250.0.3 (<noname>): numval: 1 valfmt: 0 vlist[]:\n"                                     \
	"   value -2\n"                                                                            \
	"  250.0.5 (<noname>): numval: 2 valfmt: 0 vlist[]:\n"                                     \
	"    inst [5 or " name_of_5 "] value 4294967295\n"                                         \
	"    inst [10 or ???] value 4294967295\n"                                                  \
	"  250.0.9 (<noname>): numval: 1 valfmt: 0 vlist[]:\n"                                     \
	"   value 1 1.4012985e-45 0x1\n"

/*
 * Descriptions are found by PMID: the agent answers in another order, and with a metric that was
 * not requested.
 */
static void test_with_descs(void **state)
{
	const pmDesc descs[] = {
	    {.pmid = PMID(5), .type = PM_TYPE_U32, .indom = INDOM},
	    {.pmid = PMID(3), .type = PM_TYPE_32, .indom = PM_INDOM_NULL},
	    {.pmid = PMID(7), .type = PM_TYPE_FLOAT, .indom = PM_INDOM_NULL},
	};
	pmResult *result = result_new();
	struct session s = {.agent = &agents[1], .getdesc = true};

	result->vset[0] = set_of(3, 1, PM_TYPE_32, (pmAtomValue){.l = -2});
	result->vset[1] = set_of(5, 2, PM_TYPE_U32, (pmAtomValue){.ul = 4294967295u});
	result->vset[2] = set_of(9, 1, PM_TYPE_U32, (pmAtomValue){.ul = 1});
	result->numpmid = 3;
	asked = 0;
	assert_dump(&s, result, descs, ARRAY_SIZE(descs), SETS_WITH("???"));
	assert_int_equal(asked, 0);
	s.getiname = true;
	assert_dump(&s, result, descs, ARRAY_SIZE(descs), SETS_WITH("\"red\""));
	assert_int_equal(asked, 2);
	result_free(result);
}

static void test_profiles(void **state)
{
	int listed[] = {1, 5};
	pmInDomProfile entries[] = {{INDOM, PM_PROFILE_EXCLUDE, 2, listed},
				    {INDOM + 1, PM_PROFILE_INCLUDE, 0, NULL}};
	const struct {
		pmProfile profile;
		const char *text;
	} cases[] = {
	    {{PM_PROFILE_INCLUDE, 0, NULL}, "Dump Instance Profile state=INCLUDE, 0 profiles\n"},
	    {{PM_PROFILE_EXCLUDE, 2, entries},
	     "Dump Instance Profile state=EXCLUDE, 2 profiles\n"
	     "\tProfile [0] indom=1048576003 [250.3] state=EXCLUDE 2 instances\n"
	     "\t\tInstances: [1] [5]\n"
	     "\tProfile [1] indom=1048576004 [250.4] state=INCLUDE 0 instances\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = CAPTURE(dump_profile(&cases[i].profile));

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_without_descs),
	    cmocka_unit_test(test_with_descs),
	    cmocka_unit_test(test_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
