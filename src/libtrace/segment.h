/*
 * segment - the sealed memory of a stream: made by the controller, mapped by whoever records.
 *
 * A memfd with F_SEAL_SHRINK|GROW|SEAL: it cannot be cut under those who map it. All of it is
 * allocated when it is made, so that no store can fail later.
 */
#ifndef LIBTRACE_SEGMENT_H
#define LIBTRACE_SEGMENT_H

#include <stdint.h>

#include "libtrace/clock.h"
#include "libtrace/geometry.h"
#include "libtrace/layout.h"

struct segment {
	uint8_t *base; /* NULL: not mapped */
	struct geometry g;
	uint32_t clock_kind, clock_mode;
	/* Into base. */
	struct layout_state *state;
	_Atomic uint64_t *cs, *lostc, *freemap, *order;
	_Atomic uint32_t *partial;
	uint8_t *chunk0;
};

/* A sealed memfd with all of its memory: descriptor or -ENOMEM. */
int segment_memory(const char *name, uint64_t bytes);

/* Makes a segment, every chunk FREE, stopped, and maps it: its descriptor (close-on-exec), or
 * -ENOMEM (also for ENOSPC, EMFILE, ..., and what exceeds three quarters of the memory that is
 * available). Fills in id->magic, version, word_size, bytes and the geometry. */
int segment_create(struct layout_id *id, const struct geometry *g, struct segment *ret);

/* Maps a segment that another process made, after checking seals, size and page 0: 0, -EINVAL,
 * -ENOMEM. System calls only. ret_id may be NULL. */
int segment_map(int fd, struct segment *ret, struct layout_id *ret_id);

/* Children of the calling process do not get this mapping: the controller's, which they have no
 * business with. The targets' own stay, so that inherited streams go on. */
void segment_dont_fork(const struct segment *segment);

/* Unmaps; fine on an empty one. */
void segment_unmap(struct segment *segment);

/* Gives the memory of every chunk back to the system; mappings stay valid and read zeros. */
void segment_empty(const struct segment *segment);

/* A tick behind that of every event that was recorded before, for who controls or reads a stream.
 * Ticks of CLOCK_KIND_SEQ may run ahead of the counter, so it is its word that is asked. */
static inline uint64_t segment_tick(const struct segment *s, enum clock_kind kind)
{
	return kind == CLOCK_KIND_SEQ ? clock_sequenced(&s->state->sequence) : clock_fenced(kind);
}

static inline struct layout_chunk *segment_chunk(const struct segment *s, uint32_t index)
{
	return (struct layout_chunk *)(s->chunk0 + (uint64_t)index * s->g.chunk_size);
}

#endif
