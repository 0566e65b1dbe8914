/*
 * deadline - a timer for a peer that may be late.
 *
 * libuv runs timers before it reads what has arrived. A recorder that was stopped, or frozen with
 * its container, would take a peer for late whose bytes wait in the socket. So a deadline that has
 * passed lets the loop read once before it counts. One that passed long ago starts again: the peer
 * may have been frozen, too.
 */
#ifndef PMLOGGER_DEADLINE_H
#define PMLOGGER_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "daemons/pmlogger/timing.h"

enum {
	DEADLINE_LOOK_MS = 1,       /* until the second call: the loop polls in between */
	DEADLINE_STOPPED_MS = 1000, /* a timer that is later than that was not run */
};

struct deadline {
	uv_timer_t timer;
	uv_timer_cb passed;
	uint64_t limit_ms, due_ms;
	bool looked; /* the loop has read since it passed */
};

/* timer.data is the caller's. The caller closes the timer. */
static inline void deadline_init(struct deadline *d, uv_loop_t *loop)
{
	uv_timer_init(loop, &d->timer);
}

static inline void deadline_start(struct deadline *d, uv_timer_cb passed, uint64_t limit_ms)
{
	d->passed = passed;
	d->limit_ms = limit_ms;
	d->looked = false;
	d->due_ms = timing_loop_ms(d->timer.loop) + limit_ms;
	timing_arm(&d->timer, passed, limit_ms, 0);
}

static inline void deadline_stop(struct deadline *d)
{
	timing_stop(&d->timer);
}

/* The first call of the function that a deadline runs: true if that function will be called again.
 */
static inline bool deadline_renewed(struct deadline *d)
{
	if (timing_loop_ms(d->timer.loop) > d->due_ms + DEADLINE_STOPPED_MS) {
		deadline_start(d, d->passed, d->limit_ms);
		return true;
	}
	if (d->looked)
		return false;
	d->looked = true;
	timing_arm(&d->timer, d->passed, DEADLINE_LOOK_MS, 0);
	return true;
}

#endif
