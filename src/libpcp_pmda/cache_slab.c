/* cache_slab - see cache_slab.h. */
#include "libpcp_pmda/cache_slab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
static int row_new(struct cache_slab *slab, uint32_t *ret_row)
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

static int chunk_new(struct cache_slab *slab, size_t units, uint32_t *ret_row)
{
	uint32_t row;
	char *mem;

	if (row_new(slab, &row) < 0)
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

static void chunk_free(struct cache_slab *slab, uint32_t row)
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
	if (chunk_new(slab, size, &row) < 0)
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

	if (chunk_new(slab, units, &row) < 0)
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
		chunk_free(slab, ref >> SLAB_UNIT_BITS);
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
			chunk_free(slab, row);
	}
}
