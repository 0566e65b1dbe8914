/*
 * chunk - who may write where in a segment: chunks are taken, given back, closed and overwritten.
 *
 *     FREE -> TAKEN -> ACTIVE -> FULL -> FREE          a thread's own, the reader frees it
 *                      ACTIVE <-> PART                 given back with room left: the next one goes on
 *                                 FULL -> OVER -> ACTIVE   LOOP, overwritten
 *
 * Who writes   the truth word: whoever may by its state, with compare-and-swap. Everything else in
 *              a chunk: the thread that the word names, while it is TAKEN, OVER or ACTIVE.
 * Always true  one frame of one thread holds a chunk. What a thread does beside its own chunk (its
 *              signal handler interrupted a record, or there are more threads than the quota) it
 *              writes in a borrowed one: PART -> ACTIVE, a record, ACTIVE -> PART.
 *              Behind the last record is a header that is 0; nothing behind it is ever looked at.
 * Bounds       nothing read from the segment is an index or a length before it was checked; every
 *              loop ends after as many steps as there are chunks, hints or bytes.
 * Checked by   tests/libtrace/test_chunk.c, tests/libtrace/test_record.c
 */
#ifndef LIBTRACE_CHUNK_H
#define LIBTRACE_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/segment.h"

/* A thread as records name it. */
struct chunk_writer {
	int32_t pid, tid;
	uint64_t thread; /* pthread_self() */
	uint64_t serial; /* never the same for two threads, where pid and tid may be */
};

/* A chunk that the caller owns. */
struct chunk_hold {
	uint8_t *pos;	/* of the next record */
	uint8_t *end;	/* last place that the header behind a record may have */
	uint64_t count; /* user events in it */
	uint32_t index, gen;
};

/* Where records begin and where the last header may stand. */
static inline uint8_t *chunk_begin(const struct segment *s, uint32_t index)
{
	return (uint8_t *)segment_chunk(s, index) + LAYOUT_CHUNK_HEAD;
}

static inline uint8_t *chunk_end(const struct segment *s, uint32_t index)
{
	return (uint8_t *)segment_chunk(s, index) + s->g.chunk_size - 8;
}

/* Takes a chunk for a thread of its own, with room for a record of so many bytes: false when the
 * quota is used up or nothing is free (LOOP: and nothing can be overwritten). */
bool chunk_take(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		uint64_t tick, struct chunk_hold *ret);

/* Takes any chunk with room for a moment: false when there is none. */
bool chunk_borrow(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		  uint64_t tick, struct chunk_hold *ret);

/* Gives a chunk back that has room left (or closes it, where there is none): at the end of a thread
 * and after a borrowed record. */
void chunk_give(const struct segment *s, const struct chunk_writer *w,
		const struct chunk_hold *hold, uint64_t tick);

/* A full chunk: to the reader, or to be overwritten. */
void chunk_close(const struct segment *s, const struct chunk_writer *w,
		 const struct chunk_hold *hold, uint64_t tick);

/* After a frame was left by siglongjmp: whether the chunk is still the caller's; then pos and count
 * are right again, and nothing is left of a record that was not finished. */
bool chunk_mend(const struct segment *s, const struct chunk_writer *w, struct chunk_hold *hold);

/* Closes what else such frames left: every chunk of this thread but the one with index `keep`
 * (UINT32_MAX: none is kept). */
void chunk_recover(const struct segment *s, const struct chunk_writer *w, uint32_t keep,
		   uint64_t tick);

/* User events in a chunk from an offset on; a walk. */
uint64_t chunk_count(const struct segment *s, uint32_t index, uint32_t offset);

#endif
