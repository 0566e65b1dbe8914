/*
 * segment - the sealed memory of a stream: made by the controller, mapped by every process that
 * records.
 * A memfd with F_SEAL_SHRINK|GROW|SEAL: it cannot be truncated while it is mapped. All of its
 * memory is allocated when it is made, so that no store can fail later.
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
	/* Pointers into base. */
	struct layout_state *state;
	_Atomic uint64_t *cs, *lostc, *freemap, *order;
	_Atomic uint32_t *partial;
	uint8_t *chunk0;
};

/* A sealed memfd, completely allocated: its descriptor or -ENOMEM. */
int segment_memory(const char *name, uint64_t bytes);

/* Makes a segment, stopped, every chunk FREE, and maps it: its descriptor (close-on-exec), or
 * -ENOMEM (also for ENOSPC, EMFILE, ..., and sizes above three quarters of the available memory).
 * Fills in id->magic, version, word_size, bytes and the geometry. */
int segment_create(struct layout_id *id, const struct geometry *g, struct segment *ret_segment);

/* Maps a segment that another process made, after checking seals, size and page 0: 0, -EINVAL,
 * -ENOMEM. System calls only. ret_id may be NULL. */
int segment_map(int fd, struct segment *ret_segment, struct layout_id *ret_id);

/* Children of the calling process do not inherit this mapping, which is the controller's. The
 * targets' own mappings stay, so that inherited streams continue. */
void segment_dont_fork(const struct segment *segment);

/* Unmaps; does nothing for an empty one. */
void segment_unmap(struct segment *segment);

/* Returns the memory of all chunks to the system; mappings stay valid and read zeros. */
void segment_empty(const struct segment *segment);

/* A tick after every event that was recorded before, for controllers and readers. Ticks of
 * CLOCK_KIND_SEQ may be ahead of the counter, so the stream's sequence word gives this one too. */
static inline uint64_t segment_tick(const struct segment *s, enum clock_kind kind)
{
	return kind == CLOCK_KIND_SEQ ? clock_sequenced(&s->state->sequence) : clock_fenced(kind);
}

static inline struct layout_chunk *segment_chunk(const struct segment *s, uint32_t index)
{
	return (struct layout_chunk *)(s->chunk0 + (uint64_t)index * s->g.chunk_size);
}

/* Bytes; UINT64_MAX where the machine does not report it. Reads a few small files. */
uint64_t segment_available(void);

/* The same with /proc and /sys/fs/cgroup below another root. */
uint64_t segment_available_below(const char *root);

#endif
