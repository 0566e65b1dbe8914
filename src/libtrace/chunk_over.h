/*
 * chunk_over - overwrites the oldest chunk of a LOOP stream and counts the events that this drops. Internal
 * to chunk.c.
 */
#ifndef LIBTRACE_CHUNK_OVER_H
#define LIBTRACE_CHUNK_OVER_H

#include "libtrace/chunk.h"

/* Drops the FULL chunk that was closed first and opens it again: false if there is none. */
bool chunk_overwrite(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret);

/* Adds the unread events of a chunk in state OVER to its lostc, once per generation. */
void chunk_count_dropped(const struct segment *s, uint32_t i, uint64_t word);

/* Fills in the head of a chunk that is TAKEN or OVER. */
void chunk_open(const struct segment *s, const struct chunk_writer *w, uint32_t i, uint32_t gen,
		uint64_t tick, struct chunk_hold *ret);

#endif
