/*
 * chunk - the writers' side of a segment: threads take chunks, give them back, close and overwrite
 * them.
 *
 *     FREE -> TAKEN -> ACTIVE -> FULL -> FREE      a thread's own chunk; the reader frees it
 *                      ACTIVE <-> PART             given back with room left: a thread continues
 *                                FULL -> OVER -> ACTIVE   LOOP: overwritten
 *
 * Writers      The truth word cs[i]: each thread that its state permits, by sequentially consistent
 *              compare-and-swap only. All other words of a chunk: the thread that the truth word
 *              names, while the state is TAKEN, OVER or ACTIVE. A release or stronger operation
 *              publishes each: the header store a record, the compare-and-swap the rest of the
 *              chunk.
 * Invariants   At most one frame of one thread holds a chunk. A frame that cannot use its thread's
 *              own chunk (a signal handler inside a record, or a thread beyond the quota) borrows
 *              one for a single record: PART -> ACTIVE, record, ACTIVE -> PART. The last record is
 *              followed by a header that is 0; no memory after it is read. The generation grows
 *              with every TAKEN and OVER, so a compare-and-swap from a word that was read before
 *              fails. part_filled is never less than the number of chunks ACTIVE or PART.
 *              freemap[], partial[] and order[] are hints: the truth word decides.
 * Death        A thread may be killed between any two stores. Its chunk keeps its tid, and the
 *              reader recovers it (chunk_recover). A thread whose compare-and-swap fails has lost
 *              the chunk and does not touch it again.
 * Bounds       Values from the segment are checked before they are used as an index or a length;
 *              every loop has at most as many steps as there are chunks, hints or bytes.
 * Checked by   tests/libtrace/test_chunk.c, test_record.c; model/test_model.c (all interleavings,
 *              with a death anywhere); kill/test_kill.c (each instruction)
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
	uint64_t serial; /* unique per thread; pid and tid may be reused */
};

/* A chunk that the caller owns. */
struct chunk_hold {
	uint8_t *pos;   /* place of the next record */
	uint8_t *end;   /* last possible place of the end mark, the zero header after a record */
	uint64_t count; /* user events in it */
	uint32_t index, gen;
};

/* Place of the first record, and last place of the end mark. */
static inline uint8_t *chunk_begin(const struct segment *s, uint32_t index)
{
	return (uint8_t *)segment_chunk(s, index) + LAYOUT_CHUNK_HEAD;
}

static inline uint8_t *chunk_end(const struct segment *s, uint32_t index)
{
	return (uint8_t *)segment_chunk(s, index) + s->g.chunk_size - 8;
}

/* Takes a chunk of its own for a thread, with room for a record of so many bytes: false if the
 * quota is used up or no chunk is free (LOOP: and none can be overwritten). */
bool chunk_take(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		uint64_t tick, struct chunk_hold *ret_hold);

/* Takes any chunk with room, for one record: false if there is none. */
bool chunk_borrow(const struct segment *s, const struct chunk_writer *w, uint32_t bytes,
		  uint64_t tick, struct chunk_hold *ret_hold);

/* Gives back a chunk with room left, or closes a full one: at the end of a thread and after a
 * borrowed record. */
void chunk_give(const struct segment *s, const struct chunk_writer *w,
		const struct chunk_hold *hold, uint64_t tick);

/* Closes a full chunk, for the reader or for an overwriter. */
void chunk_close(const struct segment *s, const struct chunk_writer *w,
		 const struct chunk_hold *hold, uint64_t tick);

/* After a siglongjmp out of a record: is the chunk still the caller's? If so, corrects pos and
 * count; an unfinished record does not count. */
bool chunk_repair(const struct segment *s, const struct chunk_writer *w, struct chunk_hold *hold);

/* Closes or frees every chunk of this thread except the one with index `keep` (UINT32_MAX: every
 * one). */
void chunk_recover(const struct segment *s, const struct chunk_writer *w, uint32_t keep,
		   uint64_t tick);

/* User events in a chunk from an offset on; walks the records. */
uint64_t chunk_count(const struct segment *s, uint32_t index, uint32_t offset);

/* ---- chunk_over.c, the lower half of chunk.c ---- */

enum {
	CHUNK_THREAD_LENGTH = 16, /* data of a record that names its writer */
};

/* Release: the record's other words become visible before its header. */
static inline void chunk_set_header(uint8_t *at, uint64_t header)
{
	atomic_store_explicit((_Atomic uint64_t *)(void *)at, header, memory_order_release);
}

uint64_t chunk_header(const struct segment *s, uint32_t i, uint32_t offset);
uint32_t chunk_step(const struct segment *s, uint64_t header, uint32_t offset);

/* Drops the FULL chunk that was closed first and opens it again: false if there is none. */
bool chunk_overwrite(const struct segment *s, const struct chunk_writer *w, uint64_t tick,
		     struct chunk_hold *ret_hold);

/* Adds the unread events of a chunk in state OVER to its lostc, once per generation. */
void chunk_count_dropped(const struct segment *s, uint32_t i, uint64_t word);

/* Fills in the head of a chunk that is TAKEN or OVER. */
void chunk_open(const struct segment *s, const struct chunk_writer *w, uint32_t i, uint32_t gen,
		uint64_t tick, struct chunk_hold *ret_hold);

#endif
