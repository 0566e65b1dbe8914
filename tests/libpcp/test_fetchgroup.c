/* Fetch groups: the variables that a fetch writes, when it writes none, rates, and ownership of
 * memory. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/pmapi.h>

#include "fake.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libwire/result.h"

/* The value of fake.count at the next fetch, and its time. */
static struct {
	int numval;
	uint32_t value;
	int64_t sec;

} next;

static enum fake_verdict answer_count(struct fake *f, const struct pdu_header *h,
				      const union pdu_body *q, struct buffer *out)
{
	pmValueSet set = {.pmid = FAKE_COUNT, .numval = next.numval, .valfmt = PM_VAL_INSITU};
	struct result_source source = {.kind = RESULT_HOST, .pmid = FAKE_COUNT, .host = &set};

	if (h->type != PDU_HIGHRES_FETCH || q->fetch.numpmid != 1 ||
	    q->fetch.pmids[0] != FAKE_COUNT)
		return FAKE_USUAL;
	set.vlist[0].inst = (int)PM_IN_NULL;
	set.vlist[0].value.lval = (int)next.value;
	if (next.numval < 0)
		source = (struct result_source){
		    .kind = RESULT_ERROR, .pmid = FAKE_COUNT, .error = next.numval};
	assert_int_equal(result_encode(out, PDU_HIGHRES_RESULT, 0, next.sec, 0, &source, 1), 0);
	return FAKE_SEND;
}

/* A domain with many instances, named in another order than their numbers. */
enum { MANY = 10000, STRIDE = 7919 };

static int many_inst(int i)
{
	return (i * STRIDE) % MANY;
}

static void answer_many_names(struct buffer *out)
{
	struct arena mem = ARENA_INIT;
	struct wire_inst *insts = arena_calloc(&mem, MANY, sizeof(insts[0]));
	union pdu_body body = {.instance = {.indom = FAKE_INDOM, .numinst = MANY, .insts = insts}};

	for (int i = 0; i < MANY; i++) {
		char *name = arena_calloc(&mem, 16, 1);

		insts[i].inst = many_inst(i);
		insts[i].name.s = name;
		insts[i].name.len = (uint32_t)snprintf(name, 16, "inst-%d", many_inst(i));
	}
	assert_int_equal(pdu_encode(out, PDU_INSTANCE, 0, &body), 0);
	arena_done(&mem);
}

static void answer_many_values(struct buffer *out)
{
	pmValueSet *set = malloc(sizeof(*set) + MANY * sizeof(set->vlist[0]));
	struct result_source source = {.kind = RESULT_HOST, .pmid = FAKE_LOAD, .host = set};
	union {
		pmValueBlock block;
		char bytes[PM_VAL_HDR_SIZE + sizeof(double)];
	} value = {.block = {.vtype = PM_TYPE_DOUBLE, .vlen = sizeof(value.bytes)}};

	assert_non_null(set);
	set->pmid = FAKE_LOAD;
	set->numval = MANY;
	set->valfmt = PM_VAL_DPTR;
	for (int i = 0; i < MANY; i++)
		set->vlist[i] = (pmValue){.inst = MANY - 1 - i, .value = {.pval = &value.block}};
	assert_int_equal(result_encode(out, PDU_HIGHRES_RESULT, 0, 1, 0, &source, 1), 0);
	free(set);
}

static enum fake_verdict answer_many(struct fake *f, const struct pdu_header *h,
				     const union pdu_body *q, struct buffer *out)
{
	if (h->type == PDU_INSTANCE_REQ)
		answer_many_names(out);
	else if (h->type == PDU_HIGHRES_FETCH)
		answer_many_values(out);
	else
		return FAKE_USUAL;
	return FAKE_SEND;
}

static struct fake fake = {.hook = answer_count};

static pmFG group_new(void)
{
	pmFG group;

	assert_int_equal(pmCreateFetchGroup(&group, PM_CONTEXT_HOST, fake.spec), 0);
	assert_int_equal(pmGetFetchGroupContext(group), pmWhichContext());
	return group;
}

static void fetch_at(pmFG group, int64_t sec, uint32_t value)
{
	next.sec = sec;
	next.value = value;
	next.numval = 1;
	assert_int_equal(pmFetchGroup(group), 0);
}

static void test_rates(void **state)
{
	static const struct {
		int64_t sec;
		uint32_t value;
		int status;
		double rate;
	} steps[] = {
	    {10, 100, PM_ERR_AGAIN, NAN},
	    {12, 200, 0, 50},
	    {13, 200, 0, 0},
	    {14, 150, PM_ERR_VALUE, NAN},
	    {15, 4294967295u, 0, 4294967145.0},
	};
	pmFG group = group_new();
	struct timespec ts;
	struct timeval tv;
	pmAtomValue rate;
	int status = 1;

	assert_int_equal(pmExtendFetchGroup_timespec(group, &ts), 0);
	assert_int_equal(pmExtendFetchGroup_item(group, "fake.count", NULL, NULL, &rate,
						 PM_TYPE_DOUBLE, &status),
			 0);
	assert_int_equal(pmExtendFetchGroup_timeval(group, &tv), 0);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		fetch_at(group, steps[i].sec, steps[i].value);
		assert_int_equal(status, steps[i].status);
		if (isnan(steps[i].rate))
			assert_true(isnan(rate.d));
		else
			assert_true(rate.d == steps[i].rate);
		assert_int_equal(ts.tv_sec, steps[i].sec);
		assert_int_equal(tv.tv_sec, steps[i].sec);
	}
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

static void test_wrap(void **state)
{
	pmAtomValue rate;
	int status = 1;
	pmFG group;

	setenv("PCP_COUNTER_WRAP", "", 1);
	group = group_new();
	unsetenv("PCP_COUNTER_WRAP");
	pmExtendFetchGroup_item(group, "fake.count", NULL, "rate", &rate, PM_TYPE_32, &status);
	fetch_at(group, 1, 4294967290u);
	fetch_at(group, 3, 4);
	assert_int_equal(status, 0);
	assert_int_equal(rate.l, 5);
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

/* The error of a metric is returned unchanged; a failed fetch resets everything. */
static void test_failures(void **state)
{
	pmFG group = group_new();
	struct timeval tv = {1, 1};
	pmAtomValue value;
	int status = 1;

	pmExtendFetchGroup_item(group, "fake.count", NULL, "instant", &value, PM_TYPE_U32, &status);
	pmExtendFetchGroup_timeval(group, &tv);
	fetch_at(group, 5, 9);
	assert_int_equal(value.ul, 9);
	next.numval = PM_ERR_NOAGENT;
	assert_int_equal(pmFetchGroup(group), 0);
	assert_int_equal(status, PM_ERR_NOAGENT);
	assert_int_equal(value.ul, UINT32_MAX);
	fetch_at(group, 6, 10);
	fake_stop(&fake);
	assert_int_equal(pmFetchGroup(group), PM_ERR_IPC);
	assert_int_equal(status, PM_ERR_VALUE);
	assert_int_equal(value.ul, UINT32_MAX);
	assert_int_equal(tv.tv_sec, 0);
	fake_restart(&fake);
	assert_int_equal(pmReconnectContext(pmGetFetchGroupContext(group)),
			 pmGetFetchGroupContext(group));
	fetch_at(group, 7, 11);
	assert_int_equal(value.ul, 11);
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

/* A value that is too big for its variable is reported, and the variable is empty. */
static void test_overflow(void **state)
{
	pmFG group = group_new();
	pmAtomValue value;
	int status = 1;

	assert_int_equal(pmExtendFetchGroup_item(group, "fake.count", NULL, "instant", &value,
						 PM_TYPE_32, &status),
			 0);
	fetch_at(group, 5, 0x80000000u);
	assert_int_equal(status, PM_ERR_TRUNC);
	assert_int_equal(value.l, -1);
	fetch_at(group, 6, 0x7fffffffu);
	assert_int_equal(status, 0);
	assert_int_equal(value.l, 0x7fffffff);
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

static void test_lists(void **state)
{
	pmFG group = group_new();
	pmAtomValue values[3], name, few[2];
	char *names[3];
	int codes[3], statuses[3];
	unsigned int num, nfew;
	int status, sfew, sname;

	assert_int_equal(pmExtendFetchGroup_indom(group, "fake.load", NULL, codes, names, values,
						  PM_TYPE_STRING, statuses, 3, &num, &status),
			 0);
	assert_int_equal(pmExtendFetchGroup_indom(group, "fake.load", NULL, NULL, NULL, few,
						  PM_TYPE_32, NULL, 2, &nfew, &sfew),
			 0);
	assert_int_equal(
	    pmExtendFetchGroup_item(group, "fake.name", NULL, NULL, &name, PM_TYPE_STRING, &sname),
	    0);
	/* Nobody wants to know. */
	assert_int_equal(
	    pmExtendFetchGroup_item(group, "fake.name", NULL, NULL, NULL, PM_TYPE_STRING, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pmFetchGroup(group), 0);
		assert_int_equal(status, 0);
		assert_int_equal(num, 3);
		assert_string_equal(names[2], "three men");
		assert_int_equal(codes[2], 3);
		assert_int_equal(statuses[2], 0);
		assert_string_equal(values[2].cp, "2.50000000000000000e+00");
		assert_int_equal(sfew, PM_ERR_TOOBIG);
		assert_int_equal(nfew, 0);
		assert_int_equal(few[1].l, 1);
		assert_int_equal(sname, 0);
		assert_string_equal(name.cp, "seven");
	}
	assert_int_equal(pmClearFetchGroup(group), 0);
	assert_int_equal(pmFetchGroup(group), PM_ERR_TOOSMALL);
	assert_int_equal(pmDestroyFetchGroup(group), 0);
}

/* Each instance has its own name, however many there are and in whatever order. */
static void test_many(void **state)
{
	static pmAtomValue values[MANY];
	static char *names[MANY];
	static int codes[MANY];
	struct fake many = {.hook = answer_many};
	char name[16];
	unsigned int num;
	pmFG group;
	int status;

	many.features = fake.features;
	fake_start(&many);
	assert_int_equal(pmCreateFetchGroup(&group, PM_CONTEXT_HOST, many.spec), 0);
	assert_int_equal(pmExtendFetchGroup_indom(group, "fake.load", NULL, codes, names, values,
						  PM_TYPE_DOUBLE, NULL, MANY, &num, &status),
			 0);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(pmFetchGroup(group), 0);
		assert_int_equal(status, 0);
		assert_int_equal(num, MANY);
		for (int i = 0; i < MANY; i++) {
			snprintf(name, sizeof(name), "inst-%d", i);
			assert_int_equal(codes[i], i);
			assert_string_equal(names[i], name);
		}
	}
	assert_int_equal(pmDestroyFetchGroup(group), 0);
	fake_stop(&many);
}

static void test_bad(void **state)
{
	static const struct {
		const char *metric, *inst, *scale;
		int otype;
		int error;
	} rows[] = {
	    {"fake.none", NULL, NULL, PM_TYPE_32, PM_ERR_NAME},
	    {NULL, NULL, NULL, PM_TYPE_32, -EINVAL},
	    {"fake.count", "one", NULL, PM_TYPE_32, PM_ERR_INDOM},
	    {"fake.load", NULL, NULL, PM_TYPE_32, PM_ERR_INDOM},
	    {"fake.load", "four", NULL, PM_TYPE_32, PM_ERR_INST},
	    {"fake.load", "one", NULL, PM_TYPE_EVENT, PM_ERR_TYPE},
	    {"fake.load", "one", "byte", PM_TYPE_32, PM_ERR_CONV},
	    {"fake.load", "one", "bogus", PM_TYPE_32, PM_ERR_CONV},
	};
	pmFG group = group_new();
	pmFG none;
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(pmExtendFetchGroup_item(group, rows[i].metric, rows[i].inst,
							 rows[i].scale, NULL, rows[i].otype, NULL),
				 rows[i].error);
	assert_int_equal(pmExtendFetchGroup_event(group, "fake.count", NULL, "fake.count", NULL,
						  NULL, NULL, PM_TYPE_32, NULL, 0, NULL, &status),
			 PM_ERR_TYPE);
	assert_int_equal(pmDestroyFetchGroup(group), 0);
	assert_int_equal(pmCreateFetchGroup(&none, PM_CONTEXT_HOST, "unix:/no/such"), -ENOENT);
	assert_int_equal(pmCreateFetchGroup(NULL, PM_CONTEXT_HOST, "x"), -EINVAL);
	assert_int_equal(pmFetchGroup(NULL), -EINVAL);
	assert_int_equal(pmClearFetchGroup(NULL), -EINVAL);
	assert_int_equal(pmDestroyFetchGroup(NULL), -EINVAL);
	assert_int_equal(pmGetFetchGroupContext(NULL), -EINVAL);
	assert_int_equal(pmExtendFetchGroup_timeval(NULL, NULL), -EINVAL);
}

static int group_setup(void **state)
{
	fake_start(&fake);
	return 0;
}

static int group_teardown(void **state)
{
	fake_stop(&fake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rates),    cmocka_unit_test(test_wrap),
	    cmocka_unit_test(test_failures), cmocka_unit_test(test_overflow),
	    cmocka_unit_test(test_lists),    cmocka_unit_test(test_bad),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
