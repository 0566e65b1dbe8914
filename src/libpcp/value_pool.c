/* value_pool - see value_pool.h. */
#include "libpcp/value_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libbase/chunk.h"

/* All chunks of the process, by address. */
static struct {
	pthread_mutex_t lock;
	struct chunk **chunks;
	size_t cap;
	_Atomic size_t count; /* read without the lock: programs without agents have none */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * The chunk of the last release, readable without the lock: most agents fill one chunk again and
 * again. A reader takes a copy and uses it if the turn is even and did not change meanwhile
 * (writers hold the lock). Only a holder of a piece may touch the chunk itself. A reader whose
 * value set is between start and end is such a holder: the chunk cannot be removed before that
 * piece is given back.
 */
struct recent {
	_Atomic unsigned int turn;
	_Atomic(const char *) start;
	_Atomic(const char *) end;
	_Atomic(struct chunk *) chunk;
};

static struct recent recent;

/* With the lock held. NULL: no chunk. */
static void recent_set(struct chunk *chunk)
{
	unsigned int turn = atomic_load_explicit(&recent.turn, memory_order_relaxed);
	const char *start = chunk == NULL ? NULL : chunk->start;
	const char *end = chunk == NULL ? NULL : chunk->end;

	if (atomic_load_explicit(&recent.chunk, memory_order_relaxed) == chunk)
		return;
	atomic_store_explicit(&recent.turn, turn + 1, memory_order_relaxed);
	/* Each store after the odd turn … */
	atomic_store_explicit(&recent.start, start, memory_order_release);
	atomic_store_explicit(&recent.end, end, memory_order_release);
	atomic_store_explicit(&recent.chunk, chunk, memory_order_release);
	atomic_store_explicit(&recent.turn, turn + 2, memory_order_release);
}

/* A copy that can be believed; an empty range if there is none. */
static struct recent_copy {
	const char *start;
	const char *end;
	struct chunk *chunk;
} recent_get(void)
{
	unsigned int turn = atomic_load_explicit(&recent.turn, memory_order_acquire);
	/* … and each before the turn is looked at again. */
	const char *start = atomic_load_explicit(&recent.start, memory_order_acquire);
	const char *end = atomic_load_explicit(&recent.end, memory_order_acquire);
	struct chunk *chunk = atomic_load_explicit(&recent.chunk, memory_order_acquire);

	if ((turn & 1) == 0 && atomic_load_explicit(&recent.turn, memory_order_relaxed) == turn)
		return (struct recent_copy){start, end, chunk};
	return (struct recent_copy){NULL, NULL, NULL};
}

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
	if (atomic_load_explicit(&recent.chunk, memory_order_relaxed) == chunk)
		recent_set(NULL);
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
	if (last != NULL)
		recent_set(last);
	if (run > 0)
		atomic_fetch_sub_explicit(&last->live, run, memory_order_release);
}

static bool within(const struct recent_copy *rc, const void *p)
{
	return (const char *)p >= rc->start && (const char *)p < rc->end;
}

/* Is the set in the recent chunk, with all that it owns? */
static bool all_within(const struct recent_copy *rc, const pmValueSet *vset)
{
	if (!within(rc, vset))
		return false;
	for (int j = 0; vset->valfmt == PM_VAL_DPTR && j < vset->numval; j++) {
		if (!within(rc, vset->vlist[j].value.pval))
			return false;
	}
	return true;
}

/* Releases the sets of the recent chunk that come first, without a lock. Returns how many. */
static int release_recent(pmValueSet **vsets, int n)
{
	struct recent_copy rc = recent_get();
	int i;

	for (i = 0; i < n && vsets[i] != NULL && all_within(&rc, vsets[i]); i++)
		vsets[i] = NULL;
	if (i > 0)
		atomic_fetch_sub_explicit(&rc.chunk->live, (uint32_t)i, memory_order_release);
	return i;
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
	int done;

	if (atomic_load_explicit(&pool.count, memory_order_acquire) == 0) {
		release_malloced(vsets, n);
		return;
	}
	done = release_recent(vsets, n);
	if (done >= n)
		return;
	pthread_mutex_lock(&pool.lock);
	release_pooled(vsets + done, n - done);
	pthread_mutex_unlock(&pool.lock);
}
