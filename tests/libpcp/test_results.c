/* Freeing of results: results of the library, results made by hand, and mixtures. Leaks show with
   ASan.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libpcp/results.h"

enum { NSETS = 3, NTHREAD = 4, NROUND = 2000 };

/* One block: the result, its sets, and a value block that the second set points at. */
static pmResult *library_result(void)
{
	size_t head = sizeof(pmResult) + (NSETS - 1) * sizeof(pmValueSet *);
	char *block = calloc(1, head + NSETS * sizeof(pmValueSet) + sizeof(pmValueBlock));
	pmValueSet *sets = (pmValueSet *)(block + head);
	pmResult *r = (pmResult *)block;

	r->numpmid = NSETS;
	for (int i = 0; i < NSETS; i++) {
		r->vset[i] = &sets[i];
		sets[i].numval = 1;
	}
	sets[1].valfmt = PM_VAL_DPTR;
	sets[1].vlist[0].value.pval = (pmValueBlock *)(sets + NSETS);
	assert_int_equal(results_add(block), 0);
	return r;
}

static pmResult *hand_made(void)
{
	pmResult *r = calloc(1, sizeof(*r) + (NSETS - 1) * sizeof(r->vset[0]));
	static pmValueBlock constant;

	r->numpmid = NSETS;
	for (int i = 0; i < NSETS; i++) {
		r->vset[i] = calloc(1, sizeof(pmValueSet) + sizeof(pmValue));
		r->vset[i]->numval = i; /* none, one, two */
		r->vset[i]->valfmt = PM_VAL_DPTR;
		for (int j = 0; j < i; j++)
			r->vset[i]->vlist[j].value.pval = malloc(16);
	}
	free(r->vset[1]->vlist[0].value.pval);
	r->vset[1]->valfmt = PM_VAL_SPTR;
	r->vset[1]->vlist[0].value.pval = &constant;
	return r;
}

static void test_library(void **state)
{
	pmResult *a = library_result();
	pmResult *b = library_result();

	pmFreeResult(a);
	pmFreeHighResResult((pmHighResResult *)b);
	pmFreeResult(NULL);
	pmFreeHighResResult(NULL);
}

static void test_hand_made(void **state)
{
	pmResult *alive = library_result();
	pmResult *r;

	pmFreeResult(hand_made());
	pmFreeHighResResult((pmHighResResult *)hand_made());
	r = hand_made();
	r->vset[2]->numval = PM_ERR_PMID;
	free(r->vset[2]->vlist[0].value.pval);
	free(r->vset[2]->vlist[1].value.pval);
	pmFreeResult(r);
	pmFreeResult(alive);
}

/* A result made by hand around the sets of the library: the block goes with it, as a whole. */
static void test_borrowed_sets(void **state)
{
	pmResult *b = library_result();
	pmResult *other = library_result();
	pmResult *r = calloc(1, sizeof(*r) + sizeof(r->vset[0]));

	r->numpmid = 2;
	r->vset[0] = b->vset[2];
	r->vset[1] = b->vset[1];
	pmFreeResult(r);
	pmFreeResult(other);
}

/* As test_borrowed_sets, for a caller that frees only the values. */
static void test_borrowed_values(void **state)
{
	pmResult *b = library_result();
	pmResult *r = calloc(1, sizeof(*r) + sizeof(r->vset[0]));

	r->numpmid = 2;
	r->vset[0] = b->vset[2];
	r->vset[1] = b->vset[1];
	__pmFreeResultValues(r);
	free(r);
}

/* The values first, then the structure: as agents free what they made, also for a fetched result.
 */
static void test_values_first(void **state)
{
	pmResult *fetched = library_result();
	pmResult *made = hand_made();

	__pmFreeResultValues(fetched);
	free(fetched);
	__pmFreeResultValues(made);
	free(made);
}

static void *churn(void *arg)
{
	pmResult *held[8] = {NULL};

	for (int i = 0; i < NROUND; i++) {
		pmResult **slot = &held[i % 8];

		if (*slot != NULL)
			pmFreeResult(*slot);
		*slot = library_result();
		if (i % 16 == 0)
			pmFreeResult(hand_made());
	}
	for (int i = 0; i < 8; i++)
		pmFreeResult(held[i]);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[NTHREAD];

	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL), 0);
	for (int i = 0; i < NTHREAD; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library),       cmocka_unit_test(test_hand_made),
	    cmocka_unit_test(test_borrowed_sets), cmocka_unit_test(test_borrowed_values),
	    cmocka_unit_test(test_values_first),  cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
