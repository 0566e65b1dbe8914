/*
 * run - whether a stream records: starts and stops, filter changes and other control events. Works
 * on segment and control memory only, so that a keeper can use it too. System calls only.
 *
 *     RUNNING --stop--> stopped --start--> RUNNING          STOP, START in the queue
 *        |                                    ^
 *        +--a writer finds no room--> FULL ---+             docs/spec/posix-trace.md 9.2
 *                                     when all is delivered: the reader makes up STOP and START
 *
 * Writers      ctl in the segment: this file, with the stream's mutex held; a writer turns RUNNING
 *              into FULL. control.run: this file and the reader, with the mutex.
 * Invariants   START is in the queue before RUNNING is set, STOP after it is cleared. So the
 *              records of a run have ticks between the two, except those of calls that are
 *              concurrent with the stop, which the reader drops.
 */
#ifndef LIBTRACE_RUN_H
#define LIBTRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/control.h"
#include "libtrace/segment.h"

/* The caller of a control operation; a NULL pointer: the operation is automatic. */
struct run_caller {
	uint64_t address, thread;
	int32_t tid;
};

/* For a function of the interface: the calling thread, at this address. */
struct run_caller run_called(const void *address);

/* Return true if the gates of the traced processes must be opened, or closed. */
bool run_start(struct segment *seg, struct control *ctl, const struct run_caller *caller);
bool run_stop(struct segment *seg, struct control *ctl, const struct run_caller *caller);

/* The log has reached its limit: nothing is recorded until a clear. Gates stay open: until a stop
 * each event is counted as lost (LOST_LOG), so that the counts add up to the number emitted. */
void run_log_full(struct segment *seg, struct control *ctl);

/* Queues a control event if the stream is RUNNING and the filter permits the event. */
void run_mark(struct segment *seg, struct control *ctl, uint32_t id, const void *data,
	      uint32_t length, const struct run_caller *caller);

/* Puts another filter into force: a trace point sees either the complete old one or the complete
 * new one. */
void run_filter(struct segment *seg, struct control *ctl, const trace_event_set_t *set,
		const struct run_caller *caller);

/* Stops the stream for good, without automatic restart. Returns true if it was running. */
bool run_end(struct segment *seg, struct control *ctl, const struct run_caller *caller);

/* Does posix_trace_clear() except for the recorded events: empties the filter, ends an automatic
 * stop. Returns the tick before which events no longer count. ret_halted: an automatic stop has
 * become an ordinary one. */
uint64_t run_clear(struct segment *seg, struct control *ctl, bool *ret_halted);

/* The tick of the automatic stop that is in force; 0: none. */
uint64_t run_full_tick(struct segment *seg, struct control *ctl);

/* After an automatic stop, when everything has been delivered. Returns true if the stream
 * restarted; false: the gates may be closed. */
bool run_after_full(struct segment *seg, struct control *ctl);

/* Removes the oldest control event, delivered or not. */
void run_pass(struct control *ctl, const struct geometry *g, uint32_t id, uint64_t tick);

/* Something was overwritten (LOOP): an OVERFLOW event is due, unless one was delivered and its
 * RESUME was not. */
void run_dropped(struct control *ctl, uint64_t tick);

static inline bool run_has(const struct control *ctl, uint32_t bits)
{
	return (atomic_load(&ctl->run) & bits) != 0;
}

static inline void run_change(struct control *ctl, uint32_t clear, uint32_t set)
{
	uint32_t run = atomic_load(&ctl->run);

	while (!atomic_compare_exchange_weak(&ctl->run, &run, (run & ~clear) | set))
		;
}

#endif
