/*
 * walk - step over the records of a chunk in a segment, which a hostile process may change at any
 * time.
 * Each header is loaded once and each size is checked against the private geometry. A step is at
 * least the size of a record's header, so that every walk ends.
 */
#ifndef LIBTRACE_WALK_H
#define LIBTRACE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/segment.h"

enum step_kind {
	STEP_END,    /* no record: not yet written, or the end of the chunk */
	STEP_BAD,    /* not written by the library */
	STEP_THREAD, /* not an event: names the writer of the following records */
	STEP_EVENT,
};

struct step {
	uint32_t flags, id, length;
	uint32_t size; /* distance to the next one */
	uint64_t tick;
};

/* The writer of a record. */
struct walk_writer {
	int32_t pid, tid;
	uint64_t thread;
};

static inline const uint8_t *walk_base(const struct segment *seg, uint32_t chunk)
{
	return seg->chunk0 + (uint64_t)chunk * seg->g.chunk_size;
}

/*
 * Excluded from the thread sanitizer: an overwriter may zero and fill a chunk while it is read.
 * Data read then does not count, because the compare-and-swap of the truth word fails.
 */
#define WALK_RACY __attribute__((no_sanitize("thread")))

/* A word of the segment, loaded once. */
WALK_RACY static inline uint64_t walk_load(const uint8_t *at)
{
	return atomic_load_explicit((const _Atomic uint64_t *)(const void *)at,
				    memory_order_relaxed);
}

/* The record at an offset of a chunk, or of the copy of one. Inline, because it runs several
 * times per event. */
WALK_RACY static inline enum step_kind walk_look(const struct geometry *g, const uint8_t *base,
						 uint32_t offset, uint32_t end,
						 struct step *ret_step)
{
	uint32_t extra = 0;
	uint64_t header;

	if (offset >= end || end - offset < LAYOUT_RECORD_HEAD)
		return STEP_END;
	/* Acquire: the data that the header describes is visible. */
	header = atomic_load_explicit((const _Atomic uint64_t *)(const void *)(base + offset),
				      memory_order_acquire);
	if (header == 0)
		return STEP_END;
	ret_step->flags = record_flags(header);
	ret_step->length = record_length(header);
	ret_step->id = record_id(header);
	if (ret_step->flags & RECORD_NESTED)
		extra = sizeof(struct layout_nested);
	if (ret_step->length < extra ||
	    ret_step->length > g->data_max + sizeof(struct layout_nested))
		return STEP_BAD;
	ret_step->size = geometry_record(g, ret_step->length);
	if (ret_step->size > end - offset)
		return STEP_BAD;
	ret_step->tick = walk_load(base + offset + offsetof(struct layout_record, tick));
	if (!(ret_step->flags & RECORD_COMMITTED))
		return STEP_BAD;
	if (!(ret_step->flags & RECORD_THREAD))
		return STEP_EVENT;
	return ret_step->length == 16 ? STEP_THREAD : STEP_BAD;
}

/* User events from an offset on. */
uint64_t walk_count(const struct segment *seg, uint32_t chunk, uint32_t offset);

/* The first writer of a chunk, from its head. */
struct walk_writer walk_owner(const struct segment *seg, uint32_t chunk);
/* The writer that a STEP_THREAD names. */
struct walk_writer walk_named(const uint8_t *record);

/* Is the record that a nested one names still being written? */
bool walk_interrupted(const struct segment *seg, const uint8_t *record);

/* Copies whole words; the source may change meanwhile. */
void walk_copy(void *to, const uint8_t *from, uint32_t bytes);

#endif
