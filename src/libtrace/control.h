/*
 * control - the memory that controller and keeper of a stream share, and no traced process maps: a
 * second memfd with the data that must survive a killed controller.
 *
 *     struct control   attributes, state, the reader's progress, clock pairs
 *     queue            control events (START, STOP, FILTER, FLUSH_*), a ring of stream-min-size
 *                      + 64 KiB: the guarantee against loss includes system events
 *     copies           N x C bytes: records that a round of the reader took and has not delivered
 *     block            the log's current block (streams with log)
 *
 * Writers      the controller, with the stream's mutex held; after its death the keeper only. So
 *              most fields are plain. A change that spans several fields stores the data first,
 *              then the index that makes it count, so that a kill between two stores loses nothing.
 */
#ifndef LIBTRACE_CONTROL_H
#define LIBTRACE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libtrace/clock.h"
#include "libtrace/event.h"
#include "libtrace/segment.h"

#define CONTROL_MAGIC 0x314c54434f525450u
enum {
	CONTROL_PAIRS = 4096, /* clock pairs; every second one is removed when the array is full */
	CONTROL_BLOCK = 256 * 1024,
	CONTROL_QUEUE_SPARE = 64 * 1024,  /* beyond stream-min-size */
	CONTROL_QUEUE_RESERVE = 4 * 1024, /* part of it, for events that must always fit: a STOP */
};

/* Bits of control.run: state of reader and start/stop beyond ctl. */
enum {
	RUN_STARTED = 1u,      /* the user has started it */
	RUN_AUTO_STOPPED = 2u, /* it has stopped because it was full (UNTIL_FULL log) */
	RUN_STOP_KEPT = 4u,    /* stop was called during an automatic stop */
	RUN_LOG_FULL = 8u,     /* UNTIL_FULL log: nothing is recorded until clear */
	RUN_OVERFLOW_PENDING = 16u,
	RUN_RESUME_PENDING = 32u,
	RUN_FLUSHING = 64u,
	RUN_STOP_QUEUED = 128u,  /* a STOP was queued, and no START after it */
	RUN_BETWEEN = 256u,      /* between STOP and START: user records are dropped */
	RUN_BETWEEN_AUTO = 512u, /* an automatic stop: they are lost, not discarded */
	RUN_OPENED_AUTO = 1024u, /* t_open ended an automatic stop: older ones are lost */
};

struct control {
	uint64_t magic;
	uint64_t bytes;
	struct layout_id id;      /* a copy that no target can change */
	trace_attr_t attr;        /* in force; with the creation time */
	trace_event_set_t filter; /* in force; the segment has a copy */
	_Atomic uint32_t run;     /* RUN_... */
	_Atomic uint32_t gone;    /* shut down properly: a keeper has nothing to do */
	_Atomic uint32_t overrun, log_overrun, log_full; /* as get_status reports and resets */
	_Atomic int32_t flush_error;
	_Atomic uint64_t reported, discarded, lost_log;
	_Atomic uint64_t lost_overwritten; /* dropped by the reader itself (horizon) */
	_Atomic uint64_t lost_late;        /* after an automatic stop; also in lost_full */
	uint64_t t_clear;   /* records before this tick are dropped and not counted as lost */
	uint64_t t_start;   /* tick of the last START queued, visible or hidden */
	uint64_t t_open;    /* tick of the last START delivered: older user records are dropped */
	uint64_t t_dropped; /* RUN_OVERFLOW_PENDING: tick of the first event dropped */
	uint64_t last_tick; /* tick of the last event delivered */
	int64_t last_real;  /* its time: reported times never decrease */
	uint64_t seen;      /* user events recorded when get_status last reported an overrun */
	uint64_t round;     /* number of rounds */
	uint64_t limit;     /* of the last round: older events were delivered, or can be */
	_Atomic uint64_t queue_head, queue_tail; /* bytes ever removed, bytes ever added */
	uint32_t logged;                         /* it has a log block */
	uint32_t npairs;
	struct clock_pair pairs[CONTROL_PAIRS];
};

/* Makes (controller) or maps (keeper) the control memory: a descriptor or 0, -ENOMEM, -EINVAL. */
int control_create(const struct layout_id *id, const struct geometry *g, bool logged,
		   struct control **ret_control);
int control_map(int fd, struct control **ret_control);
void control_unmap(struct control *control);

/* Does the filter in force hold this type? */
static inline bool control_filtered(const struct control *control, trace_event_id_t id)
{
	return (control->filter.__bits[id / 64] >> id % 64 & 1) != 0;
}

/* Size of the block: an event must fit after a block that cannot be written. */
static inline uint64_t control_block_bytes(const struct geometry *g)
{
	return CONTROL_BLOCK + ((g->data_max + 65535u) & ~65535u);
}

uint8_t *control_copies(struct control *control, const struct geometry *g);
uint8_t *control_block(struct control *control, const struct geometry *g);

/* Adds a control event to the queue, which is in order of tick. hidden: the event is filtered
 * out, but its tick still bounds the records (START). urgent: may use the reserve (STOP). Queued
 * events have no time; the reader sets it. Returns 0 or -ENOSPC. */
int control_put(struct control *control, const struct geometry *g, uint64_t tick,
		const struct event *event, bool hidden, bool urgent);
/* The oldest control event, which stays in the queue: false if there is none. */
bool control_peek(struct control *control, const struct geometry *g, uint64_t *ret_tick,
		  struct event *ret_event, bool *ret_hidden);
void control_take(struct control *control, const struct geometry *g);
/* Empties the queue. */
void control_drop(struct control *control);

/*
 * ---- clock pairs ----
 *
 * The clock pairs of a stream: the reader takes them now and then, and converts ticks to
 * the times of reported events (docs/spec/posix-trace.md R-9).
 *
 * Writers      the holder of the stream's mutex, or the keeper; the pair first, then the count.
 * Invariants   pairs ascend in tick and in ns. Ticks that are converted in one round of the reader
 *              are between two pairs, or no further after the last pair than the last two are
 *              apart.
 */

/* Takes a pair if one is due: soon after the first, then at doubling intervals, in the end every
 * second. */
void control_clock_extend(struct control *control);

/* CLOCK_MONOTONIC ns of a tick, and ns since the epoch on the stream's own time line. */
uint64_t control_clock_mono(const struct control *control, uint64_t tick);
int64_t control_clock_real(const struct control *control, uint64_t tick);

/* The same for many ticks. `line` caches the line of the last tick; it must be all zero at first
 * and after control_clock_extend(). */
int64_t control_clock_real_by(const struct control *control, struct clock_line *line,
			      uint64_t tick);

#endif
