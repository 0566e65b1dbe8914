/*
 * results - see results.h.
 *
 * A result that starts a known block is released with it. One made by a caller may borrow value
 * sets from a block; that block is then released as a whole, and the sets are not freed one by one.
 */
#include "libpcp/results.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <pcp/libpcp.h>

#include "libbase/hash.h"
#include "libpcp/value_pool.h"

enum { NSHARD = 16, CACHE_LINE = 64 };

struct shard {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
	struct hash blocks;
};

static struct shard shards[NSHARD] = {
    [0 ... NSHARD - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER},
};

static unsigned int nalive; /* blocks in all shards; saves searching an empty set */

static struct shard *shard_of(uint64_t hash)
{
	return &shards[hash >> 32 & (NSHARD - 1)];
}

int results_add(void *block)
{
	uint64_t hash = hash_u64((uintptr_t)block);
	struct shard *shard = shard_of(hash);
	int r;

	pthread_mutex_lock(&shard->lock);
	r = hash_add(&shard->blocks, hash, block);
	if (r == 0)
		__atomic_fetch_add(&nalive, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&shard->lock);
	return r;
}

/* With the shard's lock held. True if the block was there. */
static bool remove_block(struct shard *shard, void *block)
{
	bool known = hash_del(&shard->blocks, hash_u64((uintptr_t)block), block);

	if (known)
		__atomic_fetch_sub(&nalive, 1, __ATOMIC_RELAXED);
	return known;
}

bool results_forget(void *block)
{
	struct shard *shard = shard_of(hash_u64((uintptr_t)block));
	bool known;

	/* The caller's block was counted before the caller got it. */
	if (__atomic_load_n(&nalive, __ATOMIC_RELAXED) == 0)
		return false;
	pthread_mutex_lock(&shard->lock);
	known = remove_block(shard, block);
	pthread_mutex_unlock(&shard->lock);
	return known;
}

static bool is_inside(const void *block, const void *p)
{
	uintptr_t start = (uintptr_t)block;

	return (uintptr_t)p - start < malloc_usable_size((void *)block);
}

/* Takes a block that p points into out of the set. NULL: there is none. */
static void *forget_around(const void *p)
{
	if (__atomic_load_n(&nalive, __ATOMIC_RELAXED) == 0)
		return NULL;
	for (int i = 0; i < NSHARD; i++) {
		struct shard *shard = &shards[i];
		size_t pos = 0;
		void *block;

		pthread_mutex_lock(&shard->lock);
		do
			block = hash_next(&shard->blocks, &pos);
		while (block != NULL && !is_inside(block, p));
		if (block != NULL)
			remove_block(shard, block);
		pthread_mutex_unlock(&shard->lock);
		if (block != NULL)
			return block;
	}
	return NULL;
}

/* If one set is in a block of ours, all are assumed to be in it. */
void results_free_sets(pmValueSet **vsets, int n)
{
	bool any = __atomic_load_n(&nalive, __ATOMIC_RELAXED) > 0;

	for (int i = 0; any && i < n; i++) {
		void *block = vsets[i] == NULL ? NULL : forget_around(vsets[i]);

		if (block != NULL) {
			free(block);
			return;
		}
	}
	value_pool_release(vsets, n);
}

_Static_assert(sizeof(pmResult) == sizeof(pmHighResResult), "results have one layout");
_Static_assert(offsetof(pmResult, numpmid) == offsetof(pmHighResResult, numpmid), "as above");
_Static_assert(offsetof(pmResult, vset) == offsetof(pmHighResResult, vset), "as above");

pmResult *results_to_usec(pmHighResResult *highres)
{
	struct timespec stamp = highres->timestamp;
	pmResult *result = (pmResult *)highres;

	result->timestamp.tv_sec = stamp.tv_sec;
	result->timestamp.tv_usec = stamp.tv_nsec / 1000;
	return result;
}

void pmFreeResult(pmResult *result)
{
	if (result == NULL)
		return;
	if (!results_forget(result))
		results_free_sets(result->vset, result->numpmid);
	free(result);
}

void pmFreeHighResResult(pmHighResResult *result)
{
	if (result == NULL)
		return;
	if (!results_forget(result))
		results_free_sets(result->vset, result->numpmid);
	free(result);
}

pmResult *__pmAllocResult(int n)
{
	size_t sets = n > 0 ? (size_t)n : 0;

	return calloc(1, sizeof(pmResult) + sets * sizeof(pmValueSet *));
}

void __pmFreeResult(pmResult *result)
{
	pmFreeResult(result);
}
