/* cache_order - see cache_order.h. */
#include "libpcp_pmda/cache_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

enum { ORDER_MIN = 16 };

/* Of entries with one number all but the newest are EMPTY, and follow it. */
static bool comes_after(const struct cache *c, uint32_t x, uint32_t y)
{
	const struct cache_entry *a = cache_entry(c, x), *b = cache_entry(c, y);

	if (a->inst != b->inst)
		return a->inst > b->inst;
	return a->state == PMDA_CACHE_EMPTY && b->state != PMDA_CACHE_EMPTY;
}

/* A bottom-up merge sort: stable, and no worse for what agents add in runs. */
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

bool cache_walk_start(struct cache_walk *walk, pmInDom indom)
{
	walk->cache = cache_find(indom);
	if (walk->cache == NULL)
		return false;
	walk->pos = 0;
	walk->last = -1;
	walk->changes = walk->cache->order_changes;
	return true;
}

bool cache_walk_next(struct cache_walk *walk, int *ret_inst)
{
	struct cache *c = walk->cache;

	cache_order_ready(c);
	if (walk->changes != c->order_changes) {
		walk->pos = walk->last < 0 ? 0 : cache_order_behind(c, walk->last);
		walk->changes = c->order_changes;
	}
	while (walk->pos < c->count) {
		const struct cache_entry *e = cache_entry(c, c->order[walk->pos++]);

		if (e->state == PMDA_CACHE_ACTIVE) {
			walk->last = e->inst;
			*ret_inst = e->inst;
			return true;
		}
	}
	return false;
}
