/*
 * chunk_over - overwriting the oldest chunk of a LOOP stream, and the account of what it dropped.
 * The inner side of chunk.c.
 */
#ifndef LIBTRACE_CHUNK_OVER_H
#define LIBTRACE_CHUNK_OVER_H

#include "libtrace/chunk.h"

/* Drops the FULL chunk that was closed first and opens it anew: false when none can be had. */
bool chunk_overwrite(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret);

/* Adds what is dropped of a chunk in OVER to its account, once a generation. */
void chunk_count_dropped(const struct segment *s, uint32_t i, uint64_t word);

/* Fills in the head of a chunk that is TAKEN or OVER. */
void chunk_open(const struct segment *s, const struct chunk_writer *w, uint32_t i, uint32_t gen,
		uint64_t tick, struct chunk_hold *ret);

#endif
