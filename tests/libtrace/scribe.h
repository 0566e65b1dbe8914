/*
 * scribe - writes chunks of a segment by hand, byte by byte as a recording thread leaves them or
 * would leave them if it were killed: what tests of the reader read. Ticks are nanoseconds of
 * CLOCK_MONOTONIC; scribe_tick() gives ascending ones of the recent past.
 */
#ifndef TESTS_LIBTRACE_SCRIBE_H
#define TESTS_LIBTRACE_SCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/control.h"
#include "libtrace/reader.h"
#include "libtrace/segment.h"

/* A stream without table, registry or target. */
struct scene {
	struct segment seg;
	struct control *ctl;
	struct reader reader;
	int seg_fd, ctl_fd;
	uint64_t tick;
};

/* Ends the test on failure. */
void scene_open(struct scene *s, uint32_t policy, uint64_t size, uint32_t data_max);
void scene_close(struct scene *s);
/* A reader that knows nothing but the control memory takes over. */
void scene_take_over(struct scene *s);
/* Starts the stream as a user would (run.h), and removes the START event. */
void scene_start(struct scene *s);

/* Ascending, and never in the future. */
uint64_t scribe_tick(struct scene *s);

/* FREE -> ACTIVE: zeroed, with a head. */
void scribe_open(struct scene *s, uint32_t chunk, int32_t tid);
/* Whether a record with this much data fits after offset. */
bool scribe_fits(const struct scene *s, uint32_t offset, uint32_t length);
/* Writes a committed record at an offset of the chunk; returns the offset after it. flags:
 * RECORD_... in addition to COMMITTED. The header after it is first set to 0, as by writers. */
uint32_t scribe_put(struct scene *s, uint32_t chunk, uint32_t offset, uint32_t flags, uint64_t tick,
		    uint32_t id, const void *data, uint32_t length);
/* Changes the state, as the owner does: position and generation stay. */
void scribe_state(struct scene *s, uint32_t chunk, enum chunk_state state, int32_t tid);
/* As an overwriter: FULL -> OVER with a new generation; the flag: it has counted the dropped
 * events. */
void scribe_over(struct scene *s, uint32_t chunk, int32_t tid, bool told, uint64_t count);

/* The thread id of a thread that has ended. */
int32_t scribe_dead_tid(void);

#endif
