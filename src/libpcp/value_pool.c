/* value_pool - see value_pool.h. */
#include "libpcp/value_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "libbase/chunk.h"

/* All chunks of the process, by address. */
static struct {
	pthread_mutex_t lock;
	struct chunk **chunks;
	size_t cap;
	_Atomic size_t count; /* read without the lock: programs without agents have none */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* How many chunks start at or before p. */
static size_t chunks_upto(const char *p)
{
	size_t low = 0, high = pool.count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (pool.chunks[mid]->start <= p)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct chunk *chunk_of(const void *p)
{
	size_t n = chunks_upto(p);

	return n > 0 && (const char *)p < pool.chunks[n - 1]->end ? pool.chunks[n - 1] : NULL;
}

static int pool_grow(void)
{
	size_t cap = pool.cap == 0 ? 16 : pool.cap * 2;
	struct chunk **chunks;

	if (pool.count < pool.cap)
		return 0;
	chunks = realloc(pool.chunks, cap * sizeof(*chunks));
	if (chunks == NULL)
		return -ENOMEM;
	pool.chunks = chunks;
	pool.cap = cap;
	return 0;
}

int pitot_value_chunk_add(struct chunk *chunk)
{
	size_t at;
	int r;

	pthread_mutex_lock(&pool.lock);
	r = pool_grow();
	if (r == 0) {
		at = chunks_upto(chunk->start);
		for (size_t i = pool.count; i > at; i--)
			pool.chunks[i] = pool.chunks[i - 1];
		pool.chunks[at] = chunk;
		pool.count++;
	}
	pthread_mutex_unlock(&pool.lock);
	return r;
}

void pitot_value_chunk_del(struct chunk *chunk)
{
	size_t at;

	pthread_mutex_lock(&pool.lock);
	at = chunks_upto(chunk->start);
	if (at > 0 && pool.chunks[at - 1] == chunk) {
		pool.count--;
		for (size_t i = at - 1; i < pool.count; i++)
			pool.chunks[i] = pool.chunks[i + 1];
	}
	pthread_mutex_unlock(&pool.lock);
}

/* p's chunk, which is mostly that of the last question. */
static inline struct chunk *chunk_near(const void *p, struct chunk *last)
{
	if (last != NULL && (const char *)p >= last->start && (const char *)p < last->end)
		return last;
	return chunk_of(p);
}

static void release_blocks(pmValueSet *vset, struct chunk *last)
{
	if (vset->numval <= 0 || vset->valfmt != PM_VAL_DPTR)
		return;
	for (int j = 0; j < vset->numval; j++) {
		if (chunk_near(vset->vlist[j].value.pval, last) == NULL)
			free(vset->vlist[j].value.pval);
	}
}

/* Releases the sets one by one, but gives each run of sets in one chunk back at once. */
static void release_pooled(pmValueSet **vsets, int n)
{
	struct chunk *last = NULL;
	uint32_t run = 0;

	for (int i = 0; i < n; i++) {
		struct chunk *chunk;

		if (vsets[i] == NULL)
			continue;
		chunk = chunk_near(vsets[i], last);
		release_blocks(vsets[i], chunk);
		if (chunk == NULL) {
			free(vsets[i]);
		} else {
			if (chunk != last && run > 0)
				atomic_fetch_sub_explicit(&last->live, run, memory_order_release);
			run = chunk == last ? run + 1 : 1;
			last = chunk;
		}
		vsets[i] = NULL;
	}
	if (run > 0)
		atomic_fetch_sub_explicit(&last->live, run, memory_order_release);
}

static void release_malloced(pmValueSet **vsets, int n)
{
	for (int i = 0; i < n; i++) {
		pmValueSet *vset = vsets[i];

		if (vset == NULL)
			continue;
		if (vset->valfmt == PM_VAL_DPTR) {
			for (int j = 0; j < vset->numval; j++)
				free(vset->vlist[j].value.pval);
		}
		free(vset);
		vsets[i] = NULL;
	}
}

void value_pool_release(pmValueSet **vsets, int n)
{
	if (atomic_load_explicit(&pool.count, memory_order_acquire) == 0) {
		release_malloced(vsets, n);
		return;
	}
	pthread_mutex_lock(&pool.lock);
	release_pooled(vsets, n);
	pthread_mutex_unlock(&pool.lock);
}
