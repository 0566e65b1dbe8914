/*
 * reader - takes what was recorded out of a segment, merges it with the control events, and gives
 * it out oldest first, each event once, made-up events (OVERFLOW, RESUME, automatic STOP and
 * START) included. docs/spec/trace-design.md 7; policies: docs/spec/posix-trace.md 9.
 *
 *     round   limit = a fenced tick; every chunk: what lies there up to limit goes to its slot
 *             of the copies; the slots that got something go on a heap by their oldest tick
 *     merge   the heap's top and the queue of control events, up to limit; then the next round
 *
 * Where an event has to wait (a handler's, for the one that it interrupted), the limit is lowered
 * to what is older, and slots keep what is newer. The next round leaves such a slot's chunk alone
 * and lowers its limit to the last tick in the slot: nothing in that chunk is older.
 *
 * Runs in the controller with the stream's mutex held, or in the keeper: system calls only, no
 * malloc (its heap is an anonymous mapping), every loop bounded whatever the segment holds.
 * Order        docs/trace-internals.md has the argument why an event that happened before another
 *              is given out before it.
 */
#ifndef LIBTRACE_READER_H
#define LIBTRACE_READER_H

#include <stdbool.h>

#include "libtrace/clock.h"
#include "libtrace/control.h"
#include "libtrace/event.h"
#include "libtrace/intake.h"
#include "libtrace/segment.h"

/* What the oldest event is; its being taken has effects of its own. */
enum reader_source {
	READER_NONE,
	READER_RECORD,
	READER_QUEUE,
	READER_OVERFLOW,
	READER_RESUME,
	READER_AUTO_STOP,
};

struct reader {
	struct segment *seg;
	struct control *ctl;
	struct intake intake;
	struct reader_heap *heap; /* one entry a chunk with copied records, least tick first */
	uint32_t count;		  /* entries of the heap */
	struct intake_record top; /* what the heap's top stands at; size 0: not looked at yet */
	/* Records older than this come next, one after the other: neither a control event nor a stop
	 * is between, nor anything to be dropped while control.run is `run`. 0: not known. */
	uint64_t until;
	uint32_t run;
	struct clock_line line; /* that the last tick was on */
	struct event other; /* what was given out, if it was not the top */
	enum reader_source source; /* of the event that reader_peek() gave */
	uint64_t tick;		   /* of it */
	int64_t real_ns;
	int stop_data;
	bool restarted; /* the stream has restarted itself; the caller resets it */
	bool halted;	/* it was drained after a stop that was kept: gates may close; likewise */
};

/* Also on a control memory that another reader has worked with: goes on where that one was. */
int reader_init(struct reader *reader, struct segment *seg, struct control *ctl);
void reader_done(struct reader *reader);

/* The oldest event, not consumed: 1, or 0 when there is none now. Does a round when nothing is left
 * of the last one. Its token names it for ever in its stream: who stores events keeps the token of
 * the last, so that after a kill between storing and consuming none is lost or doubled. */
int reader_peek(struct reader *reader, struct event *ret);
/* The same event where it lies, valid until it is consumed: NULL when there is none. */
const struct event *reader_oldest(struct reader *reader);
/* Done with the event that reader_peek() gave last. Performs the automatic restart when that was
 * the automatic STOP. */
void reader_consume(struct reader *reader);
/* Both; the data stays valid until the next call. */
int reader_next(struct reader *reader, struct event *ret);

/* Nothing is waited for any more: records whose writer is in the middle of them do not exist. */
void reader_finish(struct reader *reader);

/* Empties everything up to a tick (posix_trace_clear): counted as discarded. */
void reader_clear(struct reader *reader, uint64_t tick);

/* User events that are in the stream and not yet delivered. */
uint64_t reader_unread(struct reader *reader);

#endif
