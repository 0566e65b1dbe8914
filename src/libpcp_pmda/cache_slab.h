/*
 * cache_slab - memory of a cache's entries: pieces that never move, each named by 32 bits.
 *
 * Pieces are cut from chunks, small ones first. A freed piece goes to the list of its size, from
 * which the next piece of that size is taken. cache_slab_tidy frees chunks without pieces in use. A
 * piece that is longer than the sizes of the lists has a chunk of its own.
 *
 *     ref | chunk, 20 bits | unit of 8 bytes in it, 12 bits |
 */
#ifndef LIBPCP_PMDA_CACHE_SLAB_H
#define LIBPCP_PMDA_CACHE_SLAB_H

#include <stddef.h>
#include <stdint.h>

enum {
	SLAB_UNIT = 8,                   /* bytes */
	SLAB_UNIT_BITS = 12,             /* a chunk has at most so many units */
	SLAB_CHUNKS_MAX = (1 << 20) - 1, /* so that no ref is UINT32_MAX */
	SLAB_SIZES = 64,                 /* lists: pieces of up to so many units */
};

#define SLAB_NONE UINT32_MAX

struct slab_chunk {
	char *mem;     /* NULL: this row is free */
	uint32_t live; /* pieces in use; of a free row, the next free one */
};

struct cache_slab {
	struct slab_chunk *chunks;
	uint32_t nchunks;
	uint32_t cap;
	uint32_t free_row;             /* + 1; 0: none */
	uint32_t current;              /* chunk that is cut from; SLAB_NONE: none */
	uint32_t used;                 /* units of it that are cut */
	uint32_t size;                 /* units that it has */
	uint32_t free[SLAB_SIZES + 1]; /* first piece of each size + 1; 0: none */
};

void cache_slab_init(struct cache_slab *slab);
void cache_slab_done(struct cache_slab *slab);

static inline void *cache_slab_at(const struct cache_slab *slab, uint32_t ref)
{
	return slab->chunks[ref >> SLAB_UNIT_BITS].mem +
	       (size_t)(ref & ((1u << SLAB_UNIT_BITS) - 1)) * SLAB_UNIT;
}

/* A piece of at least len bytes, aligned for anything of 8. 0 or -ENOMEM. */
int cache_slab_new(struct cache_slab *slab, size_t len, uint32_t *ret_ref);

/* Takes a piece back; len is what it was made with. */
void cache_slab_free(struct cache_slab *slab, uint32_t ref, size_t len);

/* Gives the chunks back in which no piece is in use. */
void cache_slab_tidy(struct cache_slab *slab);

#endif
