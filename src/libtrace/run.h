/*
 * run - whether a stream records: its starts and stops, filter changes and other control events,
 * on segment and control memory alone, so that a keeper can do them too. System calls only.
 *
 *     RUNNING --stop--> stopped --start--> RUNNING          STOP, START in the queue
 *        |                                    ^
 *        +--a writer finds no room--> FULL ---+             docs/spec/posix-trace.md 9.2
 *                                     when all is out: STOP and START made up by the reader
 *
 * Who writes   ctl in the segment: here, with the stream's mutex held; a writer turns RUNNING into
 *              FULL. control.run: here and in the reader, with the mutex.
 * Always true  START lies in the queue before RUNNING is set, STOP after it is cleared: records of
 *              a run have ticks between the two, but for those of calls concurrent with the stop,
 *              which the reader drops.
 */
#ifndef LIBTRACE_RUN_H
#define LIBTRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "libtrace/control.h"
#include "libtrace/segment.h"

/* Who asked for it; NULL: nobody, it is automatic. */
struct run_caller {
	uint64_t address, thread;
	int32_t tid;
};

/* The caller of a function of the interface: the calling thread, at this address. */
struct run_caller run_called(const void *address);

/* True: the gates of the traced processes must be opened, or closed. */
bool run_start(struct segment *seg, struct control *ctl, const struct run_caller *caller);
bool run_stop(struct segment *seg, struct control *ctl, const struct run_caller *caller);

/* The log has reached its limit: nothing is recorded until a clear. Gates stay open: until a stop each
 * event is counted as lost (LOST_LOG), so that the counts add up to what was emitted. */
void run_log_full(struct segment *seg, struct control *ctl);

/* Puts an event into the queue if the stream is RUNNING and the filter lets it. */
void run_mark(struct segment *seg, struct control *ctl, uint32_t id, const void *data,
	      uint32_t length, const struct run_caller *caller);

/* Puts another filter into force: every trace point sees the old one or the new one, whole. */
void run_filter(struct segment *seg, struct control *ctl, const trace_event_set_t *set,
		const struct run_caller *caller);

/* Stopped for good: nothing restarts it. True: it was running until now. */
bool run_end(struct segment *seg, struct control *ctl, const struct run_caller *caller);

/* posix_trace_clear() but for what was recorded: filter empty, no automatic stop. The tick before
 * which nothing counts any more. ret_halted: it was stopped automatically and is now just stopped. */
uint64_t run_clear(struct segment *seg, struct control *ctl, bool *ret_halted);

/* The tick of the automatic stop that the stream is in; 0: it is in none. */
uint64_t run_full_tick(struct segment *seg, struct control *ctl);

/* After an automatic stop, everything is out. True: restarted; false: the gates may be closed. */
bool run_after_full(struct segment *seg, struct control *ctl);

/* The oldest control event is passed by, given out or not. */
void run_pass(struct control *ctl, const struct geometry *g, uint32_t id, uint64_t tick);

/* Something was overwritten (LOOP): an OVERFLOW is due, unless one went out that no RESUME
 * followed. */
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
