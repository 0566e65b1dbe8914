/*
 * control - the memory that controller and keeper of a stream share, and no traced process sees: a
 * second memfd with what must survive a killed controller.
 *
 *     struct control   attributes, state, what the reader has done, clock pairs
 *     queue            control events (START, STOP, FILTER, FLUSH_*), a ring of stream-min-size
 *                      + 64 KiB: system events count in the no-loss guarantee too
 *     copies           N x C bytes: what a round of the reader took and has not yet delivered
 *     block            the log block under way (streams with log)
 *
 * Who writes   the controller, with the stream's mutex held; after its death the keeper alone. So
 *              plain fields, but each change that spans several fields is ordered such that a kill
 *              between two stores loses nothing: data first, then the index that makes it count.
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
	CONTROL_PAIRS = 4096, /* clock pairs; thinned out to every second one when full */
	CONTROL_BLOCK = 256 * 1024,
	CONTROL_QUEUE_SPARE = 64 * 1024,  /* beyond stream-min-size */
	CONTROL_QUEUE_RESERVE = 4 * 1024, /* of it, for what must always find room: a STOP */
};

/* Bits of control.run: what the reader and start/stop know beyond ctl. */
enum {
	RUN_STARTED = 1u,      /* the user wants it running */
	RUN_AUTO_STOPPED = 2u, /* stopped itself because it was full (UNTIL_FULL log) */
	RUN_STOP_KEPT = 4u,    /* stop was called meanwhile: no automatic restart */
	RUN_LOG_FULL = 8u,     /* UNTIL_FULL log: nothing until clear */
	RUN_OVERFLOW_PENDING = 16u,
	RUN_RESUME_PENDING = 32u,
	RUN_FLUSHING = 64u,
	RUN_STOP_QUEUED = 128u,	  /* a STOP was put that no START followed */
	RUN_BETWEEN = 256u,	  /* a STOP went out, its START not yet: user records are dropped */
	RUN_BETWEEN_AUTO = 512u,  /* it was an automatic one: they are lost, not discarded */
	RUN_OPENED_AUTO = 1024u,  /* the START of t_open ended an automatic one: so are who come later */
};

struct control {
	uint64_t magic;
	uint64_t bytes;
	struct layout_id id;	  /* a copy that no target can change */
	trace_attr_t attr;	  /* in force; creation time set */
	trace_event_set_t filter; /* in force; the segment's is a copy */
	_Atomic uint32_t run;	  /* RUN_... */
	_Atomic uint32_t gone;	  /* shut down properly: a keeper has nothing to do */
	_Atomic uint32_t overrun, log_overrun, log_full; /* as get_status tells and resets */
	_Atomic int32_t flush_error;
	_Atomic uint64_t reported, discarded, lost_log;
	_Atomic uint64_t lost_overwritten; /* what the reader itself dropped (horizon) */
	_Atomic uint64_t lost_late; /* recorded behind an automatic stop (t_full): lost_full too */
	uint64_t t_clear;   /* records before this tick are dropped, not counted as lost */
	uint64_t t_start;   /* of the last START put, seen or hidden */
	uint64_t t_open;    /* of the last START delivered: older user records are dropped */
	uint64_t t_dropped; /* RUN_OVERFLOW_PENDING: of the first event dropped */
	uint64_t last_tick; /* delivered last */
	int64_t last_real;  /* and its time: reported times never go back */
	uint64_t seen;	    /* user events recorded when get_status last told an overrun */
	uint64_t round;	    /* counts rounds */
	uint64_t limit;	    /* of the last one: what is older was delivered, or can be */
	_Atomic uint64_t queue_head, queue_tail; /* bytes ever taken, ever put */
	uint32_t logged;			 /* there is a block */
	uint32_t npairs;
	struct clock_pair pairs[CONTROL_PAIRS];
};

/* Makes (controller) or maps (keeper) the control memory: descriptor or 0, -ENOMEM, -EINVAL. */
int control_create(const struct layout_id *id, const struct geometry *g, bool logged,
		   struct control **ret);
int control_map(int fd, struct control **ret);
void control_unmap(struct control *control);

/* Whether the filter in force holds this type. */
static inline bool control_filtered(const struct control *control, trace_event_id_t id)
{
	return (control->filter.__bits[id / 64] >> id % 64 & 1) != 0;
}

/* Of the block: an event must fit behind one that cannot be written. */
static inline uint64_t control_block_bytes(const struct geometry *g)
{
	return CONTROL_BLOCK + ((g->data_max + 65535u) & ~65535u);
}

uint8_t *control_copies(struct control *control, const struct geometry *g);
uint8_t *control_block(struct control *control, const struct geometry *g);

/* Queue of control events: in order of tick. hidden: filtered out, but its tick still bounds what
 * is recorded (START). urgent: may use the reserve (STOP). 0, -ENOSPC. Events that are put tell no
 * time: the reader gives it. */
int control_put(struct control *control, const struct geometry *g, uint64_t tick,
		const struct event *event, bool hidden, bool urgent);
/* The oldest, not taken: false when there is none. */
bool control_peek(struct control *control, const struct geometry *g, uint64_t *ret_tick,
		  struct event *ret, bool *ret_hidden);
void control_take(struct control *control, const struct geometry *g);
/* Forgets all of them. */
void control_drop(struct control *control);

#endif
