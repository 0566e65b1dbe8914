/*
 * reader - takes records out of a segment, merges them with the control events, and delivers them
 * oldest first, each event once. It makes up events (OVERFLOW, RESUME, automatic STOP and START) as
 * needed. docs/spec/trace-design.md 7; policies: docs/spec/posix-trace.md 9.
 *
 *     round   limit = a fenced tick. For every chunk: records up to the limit are copied to its
 *             slot; slots with records go on a heap by their oldest tick
 *     merge   the top of the heap and the queue of control events, up to limit; then the next round
 * If an event has to wait (a handler's, for the one that it interrupted), the limit is lowered to
 * below it, and slots keep the newer records. The next round skips the chunk of such a slot and
 * lowers its limit to the last tick in the slot: no record in that chunk is older.
 *
 * Runs in the controller with the stream's mutex held, or in the keeper: system calls only, no
 * malloc (the heap is an anonymous mapping), every loop bounded whatever the segment contains.
 *
 * Order        docs/trace-internals.md proves that an event that happened before another is
 *              delivered before it.
 */
#ifndef LIBTRACE_READER_H
#define LIBTRACE_READER_H

#include <stdbool.h>

#include "libtrace/clock.h"
#include "libtrace/control.h"
#include "libtrace/event.h"
#include "libtrace/intake.h"
#include "libtrace/segment.h"

/* The kind of the oldest event; consuming it has effects that depend on the kind. */
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
	struct reader_heap *heap; /* one entry per chunk with copied records, least tick first */
	uint32_t count;           /* number of entries */
	struct intake_record top; /* parsed record at the top of the heap; size 0: not parsed yet */
	/* Records older than this are delivered next, one after the other: no control event or
	 * stop is between them, and none is to be dropped while control.run is `run`. 0: unknown.
	 * */
	uint64_t until;
	uint32_t run;
	struct clock_line line;    /* line of the last tick */
	struct event other;        /* the event delivered, if it was not the top */
	enum reader_source source; /* of the event that reader_peek() returned */
	uint64_t tick;             /* tick of that event */
	int64_t real_ns;
	int stop_data;
	bool restarted; /* the stream has restarted itself; the caller resets this */
	bool halted;    /* drained after a kept stop: gates may close; the caller resets this */
};

/* Also for a control memory that another reader has used: continues where that one was. */
int reader_init(struct reader *reader, struct segment *seg, struct control *ctl);
void reader_done(struct reader *reader);

/* The oldest event, which stays: 1, or 0 if there is none now. Does a round when the last one is
 * used up. The token identifies the event in its stream for ever. A caller that stores events
 * keeps the token of the last one, so that a kill between storing and consuming neither loses nor
 * doubles an event. */
int reader_peek(struct reader *reader, struct event *ret_event);
/* The same event in place, valid until it is consumed: NULL if there is none. */
const struct event *reader_oldest(struct reader *reader);
/* Consumes the event that reader_peek() returned last. If it was the automatic STOP, this
 * performs the automatic restart. */
void reader_consume(struct reader *reader);
/* Both; the data stays valid until the next call. */
int reader_next(struct reader *reader, struct event *ret_event);

/* From now on the reader waits for nothing: records whose writers are in the middle of them are
 * ignored. */
void reader_finish(struct reader *reader);

/* Drops everything up to a tick (posix_trace_clear), counted as discarded. */
void reader_clear(struct reader *reader, uint64_t tick);

/* User events that are in the stream and not yet delivered. */
uint64_t reader_unread(struct reader *reader);

#endif
