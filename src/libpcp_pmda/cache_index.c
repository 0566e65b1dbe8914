/* cache_index - see cache_index.h. */
#include "libpcp_pmda/cache_index.h"

#include <errno.h>
#include <stdlib.h>

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
