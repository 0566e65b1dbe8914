/* cache_parts - the parts of a cache: memory of entries, indexes, order, keys. See cache.h. */
#include "libpcp_pmda/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

/* ---- Memory --------------------------------------------------------------------------------- */

enum {
	CHUNK_UNITS_MIN = 128,
	CHUNK_UNITS_MAX = 1 << SLAB_UNIT_BITS,
	CHUNK_ROWS_MIN = 4,
};

void cache_slab_init(struct cache_slab *slab)
{
	*slab = (struct cache_slab){.current = SLAB_NONE};
}

void cache_slab_done(struct cache_slab *slab)
{
	for (uint32_t i = 0; i < slab->nchunks; i++)
		free(slab->chunks[i].mem);
	free(slab->chunks);
	cache_slab_init(slab);
}

static size_t units_of(size_t len)
{
	return (len + SLAB_UNIT - 1) / SLAB_UNIT;
}

/* A free row of the table of chunks. 0 or -ENOMEM. */
static int slab_row_new(struct cache_slab *slab, uint32_t *ret_row)
{
	uint32_t cap = slab->cap == 0 ? CHUNK_ROWS_MIN : slab->cap * 2;
	struct slab_chunk *chunks;

	if (slab->free_row != 0) {
		*ret_row = slab->free_row - 1;
		return 0;
	}
	if (slab->nchunks == SLAB_CHUNKS_MAX)
		return -ENOMEM;
	if (slab->nchunks == slab->cap) {
		chunks = realloc(slab->chunks, cap * sizeof(*chunks));
		if (chunks == NULL)
			return -ENOMEM;
		slab->chunks = chunks;
		slab->cap = cap;
	}
	*ret_row = slab->nchunks;
	return 0;
}

static int slab_chunk_new(struct cache_slab *slab, size_t units, uint32_t *ret_row)
{
	uint32_t row;
	char *mem;

	if (slab_row_new(slab, &row) < 0)
		return -ENOMEM;
	mem = malloc(units * SLAB_UNIT);
	if (mem == NULL)
		return -ENOMEM;
	if (row == slab->nchunks)
		slab->nchunks++;
	else
		slab->free_row = slab->chunks[row].live;
	slab->chunks[row] = (struct slab_chunk){.mem = mem};
	*ret_row = row;
	return 0;
}

static void slab_chunk_free(struct cache_slab *slab, uint32_t row)
{
	free(slab->chunks[row].mem);
	slab->chunks[row] = (struct slab_chunk){.live = slab->free_row};
	slab->free_row = row + 1;
}

/* The rest of the current chunk is cut into pieces for other entries. */
static void current_retire(struct cache_slab *slab)
{
	while (slab->current != SLAB_NONE && slab->used < slab->size) {
		uint32_t units = slab->size - slab->used;
		uint32_t ref = slab->current << SLAB_UNIT_BITS | slab->used;

		if (units > SLAB_SIZES)
			units = SLAB_SIZES;
		memcpy(cache_slab_at(slab, ref), &slab->free[units], sizeof(uint32_t));
		slab->free[units] = ref + 1;
		slab->used += units;
	}
}

/* Chunks double up to the largest, so that a small cache is small. */
static int current_change(struct cache_slab *slab)
{
	uint32_t size = slab->current == SLAB_NONE ? CHUNK_UNITS_MIN : slab->size * 2, row;

	if (size > CHUNK_UNITS_MAX)
		size = CHUNK_UNITS_MAX;
	if (slab_chunk_new(slab, size, &row) < 0)
		return -ENOMEM;
	current_retire(slab);
	slab->current = row;
	slab->used = 0;
	slab->size = size;
	return 0;
}

static int piece_of_its_own(struct cache_slab *slab, size_t units, uint32_t *ret_ref)
{
	uint32_t row;

	if (slab_chunk_new(slab, units, &row) < 0)
		return -ENOMEM;
	slab->chunks[row].live = 1;
	*ret_ref = row << SLAB_UNIT_BITS;
	return 0;
}

int cache_slab_new(struct cache_slab *slab, size_t len, uint32_t *ret_ref)
{
	size_t units = units_of(len);
	uint32_t ref;

	if (units > SLAB_SIZES)
		return piece_of_its_own(slab, units, ret_ref);
	if (slab->free[units] != 0) {
		ref = slab->free[units] - 1;
		memcpy(&slab->free[units], cache_slab_at(slab, ref), sizeof(uint32_t));
	} else {
		if ((slab->current == SLAB_NONE || slab->size - slab->used < units) &&
		    current_change(slab) < 0)
			return -ENOMEM;
		ref = slab->current << SLAB_UNIT_BITS | slab->used;
		slab->used += (uint32_t)units;
	}
	slab->chunks[ref >> SLAB_UNIT_BITS].live++;
	*ret_ref = ref;
	return 0;
}

void cache_slab_free(struct cache_slab *slab, uint32_t ref, size_t len)
{
	size_t units = units_of(len);

	if (units > SLAB_SIZES) {
		slab_chunk_free(slab, ref >> SLAB_UNIT_BITS);
		return;
	}
	memcpy(cache_slab_at(slab, ref), &slab->free[units], sizeof(uint32_t));
	slab->free[units] = ref + 1;
	slab->chunks[ref >> SLAB_UNIT_BITS].live--;
}

/* Is a piece on a list of a chunk that is to go? */
static int chunk_unused(const struct cache_slab *slab, uint32_t row)
{
	return slab->chunks[row].mem != NULL && slab->chunks[row].live == 0 && row != slab->current;
}

static void list_tidy(struct cache_slab *slab, uint32_t *head)
{
	uint32_t next = *head, kept = 0;

	while (next != 0) {
		uint32_t ref = next - 1;
		void *piece = cache_slab_at(slab, ref);

		memcpy(&next, piece, sizeof(next));
		if (chunk_unused(slab, ref >> SLAB_UNIT_BITS))
			continue;
		memcpy(piece, &kept, sizeof(kept));
		kept = ref + 1;
	}
	*head = kept;
}

void cache_slab_tidy(struct cache_slab *slab)
{
	for (int units = 0; units <= SLAB_SIZES; units++)
		list_tidy(slab, &slab->free[units]);
	for (uint32_t row = 0; row < slab->nchunks; row++) {
		if (chunk_unused(slab, row))
			slab_chunk_free(slab, row);
	}
}

/* ---- Indexes -------------------------------------------------------------------------------- */

enum { INDEX_MIN = 16 };

void cache_index_done(struct cache_index *ix)
{
	free(ix->slots);
	*ix = (struct cache_index){0};
}

static void slot_put(struct cache_index *ix, struct cache_index_slot slot)
{
	uint32_t i = cache_index_start(ix, slot.hash);

	while (ix->slots[i].entry != 0)
		i = (i + 1) & (ix->cap - 1);
	ix->slots[i] = slot;
}

static int index_resize(struct cache_index *ix, uint32_t cap)
{
	struct cache_index_slot *slots = calloc(cap, sizeof(*slots)), *old = ix->slots;
	uint32_t old_cap = ix->cap;

	if (slots == NULL)
		return -ENOMEM;
	ix->slots = slots;
	ix->cap = cap;
	ix->shift = 32 - (unsigned int)__builtin_ctz(cap);
	for (uint32_t i = 0; i < old_cap; i++) {
		if (old[i].entry != 0)
			slot_put(ix, old[i]);
	}
	free(old);
	return 0;
}

int cache_index_reserve(struct cache_index *ix, uint32_t n)
{
	uint32_t cap = ix->cap == 0 ? INDEX_MIN : ix->cap;

	while (cap - cap / 4 < n) {
		if (cap > UINT32_MAX / 4)
			return -ENOMEM;
		cap *= 2;
	}
	return cap == ix->cap ? 0 : index_resize(ix, cap);
}

void cache_index_put(struct cache_index *ix, uint32_t hash, uint32_t entry)
{
	slot_put(ix, (struct cache_index_slot){.hash = hash, .entry = entry + 1});
	ix->count++;
}

/* ---- The order ------------------------------------------------------------------------------ */

enum { ORDER_MIN = 16 };

/* Of entries with one number all but the newest are EMPTY, and follow it. */
static bool comes_after(const struct cache *c, uint32_t x, uint32_t y)
{
	const struct cache_entry *a = cache_entry(c, x), *b = cache_entry(c, y);

	if (a->inst != b->inst)
		return a->inst > b->inst;
	return a->state == PMDA_CACHE_EMPTY && b->state != PMDA_CACHE_EMPTY;
}

/* A bottom-up merge sort: stable, and quick on runs that are in order already. */
static void order_sort(const struct cache *c, uint32_t *order, uint32_t *room, size_t n)
{
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t low = 0; low + run < n; low += 2 * run) {
			size_t mid = low + run, high = mid + run < n ? mid + run : n;
			size_t i = low, j = mid, at = low;

			if (!comes_after(c, order[mid - 1], order[mid]))
				continue;
			memcpy(room + low, order + low, run * sizeof(*order));
			while (i < mid && j < high)
				order[at++] =
				    comes_after(c, room[i], order[j]) ? order[j++] : room[i++];
			memcpy(order + at, room + i, (mid - i) * sizeof(*order));
		}
	}
}

/* Sorts what was added out of order and merges it in, from the back. */
static int order_merge(struct cache *c)
{
	size_t ntail = c->count - c->nsorted;
	AUTO_FREE uint32_t *tail = malloc(2 * ntail * sizeof(*tail));
	uint32_t head = c->nsorted, at = c->count;

	if (tail == NULL)
		return -ENOMEM;
	memcpy(tail, c->order + c->nsorted, ntail * sizeof(*tail));
	order_sort(c, tail, tail + ntail, ntail);
	while (ntail > 0) {
		if (head > 0 && comes_after(c, c->order[head - 1], tail[ntail - 1]))
			c->order[--at] = c->order[--head];
		else
			c->order[--at] = tail[--ntail];
	}
	return 0;
}

/* Lets the ref at i sink to its place in the heap of the first n. */
static void heap_sink(const struct cache *c, uint32_t *order, size_t i, size_t n)
{
	uint32_t ref = order[i];
	size_t child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && comes_after(c, order[child + 1], order[child]))
			child++;
		if (!comes_after(c, order[child], ref))
			break;
		order[i] = order[child];
		i = child;
	}
	order[i] = ref;
}

/* Rebuilds the whole order without memory: no instance may be lost when there is none. */
static void order_heapsort(struct cache *c)
{
	size_t n = c->count;

	for (size_t i = n / 2; i > 0; i--)
		heap_sink(c, c->order, i - 1, n);
	while (n > 1) {
		uint32_t last = c->order[0];

		c->order[0] = c->order[--n];
		c->order[n] = last;
		heap_sink(c, c->order, 0, n);
	}
}

void cache_order_make(struct cache *c)
{
	if (order_merge(c) < 0)
		order_heapsort(c);
	c->nsorted = c->count;
	c->order_changes++;
}

int cache_order_reserve(struct cache *c, uint32_t n)
{
	uint32_t cap = c->cap == 0 ? ORDER_MIN : c->cap;
	uint32_t *order;

	if (n > INT32_MAX)
		return -ENOMEM;
	while (cap < n)
		cap *= 2;
	if (cap == c->cap)
		return 0;
	order = realloc(c->order, cap * sizeof(*order));
	if (order == NULL)
		return -ENOMEM;
	c->order = order;
	c->cap = cap;
	return 0;
}

struct cache_entry *cache_order_at(struct cache *c, uint32_t pos)
{
	cache_order_ready(c);
	return pos < c->count ? cache_entry(c, c->order[pos]) : NULL;
}

uint32_t cache_order_changes(struct cache *c)
{
	cache_order_ready(c);
	return c->order_changes;
}

uint32_t cache_order_behind(struct cache *c, int inst)
{
	uint32_t low = 0, high = c->count;

	cache_order_ready(c);
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (cache_entry(c, c->order[mid])->inst <= inst)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

/* clang-format off */
#define STEP(x, y, z, shifted) do { x -= y; x -= z; x ^= (shifted); } while (0)
#define MIX(a, b, c) do {			\
	STEP(a, b, c, c >> 13);			\
	STEP(b, c, a, a << 8);			\
	STEP(c, a, b, b >> 13);			\
	STEP(a, b, c, c >> 12);			\
	STEP(b, c, a, a << 16);			\
	STEP(c, a, b, b >> 5);			\
	STEP(a, b, c, c >> 3);			\
	STEP(b, c, a, a << 10);			\
	STEP(c, a, b, b >> 15);			\
} while (0)
/* clang-format on */

/* Up to n of 4 bytes, sign extended before they are shifted and added: part of the contract. */
static uint32_t key_word(const signed char *k, int n)
{
	uint32_t w = 0;

	for (int i = 0; i < n && i < 4; i++)
		w += (uint32_t)(int32_t)k[i] << (8 * i);
	return w;
}

uint32_t cache_key_hash(const void *key, int len, uint32_t initial)
{
	const signed char *k = key;
	uint32_t a = 0x9e3779b9, b = 0x9e3779b9, c = initial;
	int left = len;

	for (; left >= 12; left -= 12, k += 12) {
		a += key_word(k, 4);
		b += key_word(k + 4, 4);
		c += key_word(k + 8, 4);
		MIX(a, b, c);
	}
	c += (uint32_t)len;
	a += key_word(k, left);
	b += left > 4 ? key_word(k + 4, left - 4) : 0;
	c += left > 8 ? key_word(k + 8, left - 8) << 8 : 0; /* its lowest byte is the length's */
	MIX(a, b, c);
	return c;
}

bool cache_key_equal(const struct cache_entry *e, const void *key, int len)
{
	return e->key != NULL && e->key->len == len && memcmp(e->key->bytes, key, (size_t)len) == 0;
}
