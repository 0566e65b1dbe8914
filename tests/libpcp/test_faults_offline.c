/*
 * test_faults_offline - each allocation of the half without connection fails once, in turn: an error,
 * nothing lost, and the next try is right.
 *
 * The linker puts the three functions below in the place of the C library's (--wrap).
 */
#include <stdbool.h>

#include "pcp_test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int countdown; /* the allocation that fails, counted from now; 0: none */

static bool fails(void)
{
	return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static int try_labels(void)
{
	pmLabelSet *set = NULL, *copy;
	int r = __pmAddLabels(&set, "{\"a\":1,\"b\":{\"c\":2}}", 0);

	if (r >= 0)
		r = __pmAddLabels(&set, "{\"a\":3}", PM_LABEL_OPTIONAL);
	if (r >= 0) {
		copy = __pmDupLabelSets(set, 1);
		if (copy == NULL)
			r = -ENOMEM;
		else
			pmFreeLabelSets(copy, 1);
	}
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	return r;
}

static int try_merge(void)
{
	char *texts[] = {(char *)"{\"a\":1}", (char *)"{\"b\":2}"};
	char buf[64];

	return pmMergeLabels(texts, 2, buf, sizeof(buf));
}

static int try_metric_spec(void)
{
	pmMetricSpec *spec;
	char *msg;
	int r = pmParseMetricSpec("h:a.b[x]", 0, NULL, &spec, &msg);

	if (r == 0)
		pmFreeMetricSpec(spec);
	return r;
}

static int try_events(void)
{
	static const struct {
		int nrecords;
		pmTimeval stamp;
		unsigned int flags;
		int nparams;
		pmEventParameter param;
		char text[8];
	} one = {1,
		 {1, 2},
		 PM_EVENT_FLAG_POINT,
		 1,
		 {.ep_pmid = 7, .ep_type = PM_TYPE_STRING, .ep_len = 10},
		 "hello"};
	union test_block u;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_SPTR};
	pmResult **records;
	int r;

	set.vlist[0].value.pval = test_block(&u, &one, sizeof(one), PM_TYPE_EVENT);
	r = pmUnpackEventRecords(&set, 0, &records);
	if (r > 0)
		pmFreeEventResult(records);
	return r;
}

static int try_values(void)
{
	pmAtomValue in = {.d = 1.5}, out;
	pmValue v;
	int r = __pmStuffValue(&in, &v, PM_TYPE_DOUBLE);

	if (r < 0)
		return r;
	v.value.pval->vtype = PM_TYPE_STRING;
	r = pmExtractValue(PM_VAL_DPTR, &v, PM_TYPE_STRING, &out, PM_TYPE_STRING);
	free(v.value.pval);
	if (r == 0)
		free(out.cp);
	return r;
}

static int try_zone(void)
{
	return pmNewZone("UTC");
}

static const struct {
	const char *name;
	int (*try)(void);
} tries[] = {
    {"labels", try_labels}, {"merge", try_merge},   {"metric spec", try_metric_spec},
    {"events", try_events}, {"values", try_values}, {"zone", try_zone},
};

static void each_allocation(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		int n = 0, r;

		do {
			countdown = ++n;
			r = tries[i].try();
			/* still counting: nothing failed, so nothing may have been reported */
			assert_true(countdown > 0 ? r >= 0 : r == -ENOMEM);
			assert_true(n < 100);
		} while (countdown == 0);
		countdown = 0;
		assert_true(n > 1);
		assert_true(tries[i].try() >= 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
