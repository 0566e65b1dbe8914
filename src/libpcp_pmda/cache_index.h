/*
 * cache_index - from a 32-bit hash to refs of entries, by open addressing.
 *
 * Several entries may share a hash: a search goes on until the caller is content. Nothing is taken
 * out alone; an index is emptied and filled again.
 */
#ifndef LIBPCP_PMDA_CACHE_INDEX_H
#define LIBPCP_PMDA_CACHE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_index_slot {
	uint32_t hash;
	uint32_t entry; /* ref + 1; 0: free */
};

struct cache_index {
	struct cache_index_slot *slots;
	uint32_t cap; /* 0 or a power of two */
	uint32_t count;
	unsigned int shift; /* 32 - log2(cap) */
};

void cache_index_done(struct cache_index *ix);

/* Room for n entries in all. 0 or -ENOMEM. */
int cache_index_reserve(struct cache_index *ix, uint32_t n);

/* Adds an entry, for which there must be room. */
void cache_index_put(struct cache_index *ix, uint32_t hash, uint32_t entry);

/* Numbers that count up or come in strides spread as well as hashes do. */
static inline uint32_t cache_index_start(const struct cache_index *ix, uint32_t hash)
{
	return hash * 0x9e3779b1u >> ix->shift;
}

static inline void cache_index_prefetch(const struct cache_index *ix, uint32_t hash)
{
	if (ix->cap != 0)
		__builtin_prefetch(&ix->slots[cache_index_start(ix, hash)], 1);
}

/* The entries with a hash, one after the other: start with *pos = -1; false at the end. */
static inline bool cache_index_next(const struct cache_index *ix, uint32_t hash, int64_t *pos,
				    uint32_t *ret_entry)
{
	uint32_t i;

	if (ix->cap == 0)
		return false;
	i = *pos < 0 ? cache_index_start(ix, hash) : ((uint32_t)*pos + 1) & (ix->cap - 1);
	for (; ix->slots[i].entry != 0; i = (i + 1) & (ix->cap - 1)) {
		if (ix->slots[i].hash == hash) {
			*pos = i;
			*ret_entry = ix->slots[i].entry - 1;
			return true;
		}
	}
	return false;
}

#endif
