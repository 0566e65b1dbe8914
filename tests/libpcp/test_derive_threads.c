/*
 * test_derive_threads - sixteen threads define and fetch derived metrics, in contexts of their own
 * and in one that all share; every value is right. TSan looks at the rest.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "fake.h"
#include "pcp_test.h"

enum { NTHREADS = 16, ROUNDS = 60, TEXT = 64 };

static struct fake fake;
static int shared;

/* A thread cannot use the assertions of the test. */
static atomic_uint wrong;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			atomic_fetch_add(&wrong, 1);                                               \
		}                                                                                  \
	} while (0)

static void fetch_is(const char *name, double want)
{
	pmResult *result;
	pmAtomValue atom;
	pmDesc desc;
	pmID pmid;

	CHECK(pmLookupName(1, &name, &pmid) == 1);
	CHECK(pmLookupDesc(pmid, &desc) == 0);
	CHECK(pmFetch(1, &pmid, &result) >= 0);
	CHECK(result->vset[0]->numval == 1);
	CHECK(pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], desc.type, &atom,
			     PM_TYPE_DOUBLE) == 0);
	CHECK(atom.d == want);
	pmFreeResult(result);
}

/* All define the same global metrics: one of them is the first. */
static void define_global(unsigned int number)
{
	char name[TEXT];
	char *message = NULL;

	snprintf(name, sizeof(name), "g.m%u", number);
	if (pmRegisterDerivedMetric(name, "fake.count * 2", &message) < 0)
		CHECK(strstr(message, "Duplicate") != NULL);
	free(message);
	fetch_is(name, 14);
}

static void define_own(unsigned int thread, unsigned int round)
{
	char name[TEXT];
	char expr[TEXT];

	snprintf(name, sizeof(name), "own.t%u.r%u", thread, round);
	snprintf(expr, sizeof(expr), "instant(fake.count) + %u", round);
	CHECK(pmAddDerived(name, expr) == NULL);
	fetch_is(name, 7 + round);
}

static void count_name(const char *name, void *closure)
{
	++*(int *)closure;
}

static void *work(void *arg)
{
	unsigned int thread = (unsigned int)(uintptr_t)arg;
	int own = pmNewContext(PM_CONTEXT_HOST, fake.spec);
	int names = 0;

	CHECK(own >= 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		pmUseContext(round % 2 == 0 ? own : shared);
		define_own(thread, round);
		define_global(round / 4);
		if (round % 16 == 0)
			CHECK(pmTraversePMNS_r("g", count_name, &names) > 0);
	}
	CHECK(names > 0);
	pmDestroyContext(own);
	return NULL;
}

static void test_crowd(void **state)
{
	pthread_t threads[NTHREADS];

	fake.features = FAKE_FEATURES;
	fake_start(&fake);
	shared = pmNewContext(PM_CONTEXT_HOST, fake.spec);
	assert_true(shared >= 0);
	for (size_t i = 0; i < NTHREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
	for (size_t i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);
	pmDestroyContext(shared);
	fake_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_crowd)};

	setenv("PCP_DERIVED_CONFIG", "", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
