/* Tests of value_pool.c: what a release gives back, and to whom; also from several threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/chunk.h"
#include "libpcp/value_pool.h"

enum { CHUNK_LEN = 4096, NSETS = 8 };

/* A chunk with room for some singular sets and their blocks. */
struct pond {
	struct chunk chunk;
	_Alignas(16) char memory[CHUNK_LEN];
};

static void pond_init(struct pond *p)
{
	p->chunk.start = p->memory;
	p->chunk.end = p->memory + sizeof(p->memory);
	atomic_init(&p->chunk.live, 0);
	assert_int_equal(pitot_value_chunk_add(&p->chunk), 0);
}

static unsigned int live(struct pond *p)
{
	return atomic_load(&p->chunk.live);
}

/* The ith set of a chunk, with a block of the same chunk if format is PM_VAL_DPTR. */
static pmValueSet *pond_set(struct pond *p, int i, int format)
{
	pmValueSet *vset = (pmValueSet *)(p->memory + i * 64);

	vset->numval = 1;
	vset->valfmt = format;
	vset->vlist[0].value.pval = (pmValueBlock *)(p->memory + i * 64 + 40);
	atomic_fetch_add(&p->chunk.live, 1);
	return vset;
}

static pmValueSet *malloc_set(int format)
{
	pmValueSet *vset = calloc(1, sizeof(*vset));

	vset->numval = 1;
	vset->valfmt = format;
	if (format == PM_VAL_DPTR)
		vset->vlist[0].value.pval = malloc(16);
	return vset;
}

static void test_without_chunks(void **state)
{
	pmValueSet *sets[] = {malloc_set(PM_VAL_DPTR), NULL, malloc_set(PM_VAL_INSITU)};

	value_pool_release(sets, 3);
	assert_null(sets[0]);
	assert_null(sets[2]);
	value_pool_release(sets, 3);
	value_pool_release(NULL, 0);
}

static void test_mixed(void **state)
{
	static struct pond a, b;
	pmValueSet *sets[NSETS];

	pond_init(&a);
	pond_init(&b);
	for (int round = 0; round < 3; round++) {
		sets[0] = pond_set(&a, 0, PM_VAL_DPTR);
		sets[1] = pond_set(&a, 1, PM_VAL_INSITU);
		sets[2] = malloc_set(PM_VAL_DPTR);
		sets[3] = pond_set(&b, 0, PM_VAL_DPTR);
		sets[4] = NULL;
		sets[5] = pond_set(&a, 2, PM_VAL_DPTR);
		/* A block that is not the chunk's in a set that is. */
		sets[5]->vlist[0].value.pval = malloc(16);
		sets[6] = pond_set(&a, 3, PM_VAL_SPTR);
		sets[7] = pond_set(&b, 1, PM_VAL_INSITU);
		assert_int_equal(live(&a), 4);
		value_pool_release(sets, 2);
		assert_int_equal(live(&a), 2);
		value_pool_release(sets, NSETS);
		assert_int_equal(live(&a), 0);
		assert_int_equal(live(&b), 0);
		for (int i = 0; i < NSETS; i++)
			assert_null(sets[i]);
	}
	pitot_value_chunk_del(&a.chunk);
	sets[0] = pond_set(&b, 0, PM_VAL_DPTR);
	value_pool_release(sets, 1);
	assert_int_equal(live(&b), 0);
	pitot_value_chunk_del(&b.chunk);
	sets[0] = malloc_set(PM_VAL_DPTR);
	value_pool_release(sets, 1);
}

/* Each thread has chunks of its own, which come and go while others release. */
static void *churn(void *arg)
{
	struct pond *p = malloc(sizeof(*p));
	pmValueSet *sets[2];

	for (int i = 0; i < 20000; i++) {
		if (i % 16 == 0)
			pond_init(p);
		sets[0] = pond_set(p, 0, PM_VAL_DPTR);
		sets[1] = i % 3 == 0 ? malloc_set(PM_VAL_DPTR) : pond_set(p, 1, PM_VAL_INSITU);
		value_pool_release(sets, 2);
		if (live(p) != 0)
			return p;
		if (i % 16 == 15)
			pitot_value_chunk_del(&p->chunk);
	}
	free(p);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_without_chunks),
	    cmocka_unit_test(test_mixed),
	    cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
