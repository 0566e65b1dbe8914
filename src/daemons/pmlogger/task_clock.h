/*
 * task_clock - when a task is due next (docs/spec/logger.md A4), and what its turns remember.
 *
 * A due time is the one before plus the interval, whatever happened in between, so that nothing
 * drifts. Due times that have passed by more than an interval are left out. The clock only reports
 * that its task is due: turn.c decides when the turn begins, and sets the flags of the turn.
 */
#ifndef PMLOGGER_TASK_CLOCK_H
#define PMLOGGER_TASK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "daemons/pmlogger/fetch_plan.h"

struct logging_task;

struct task_clock {
	uv_timer_t timer;
	void (*on_due)(void *arg);
	void *arg;
	struct logging_task *task; /* NULL: gone */
	uint64_t due_ms;           /* of the loop's clock */
	bool due;                  /* and had no turn since */
	struct fetch_plan plan;
	bool planned;
	bool recorded; /* had a turn */
	bool awaiting; /* some of its metrics wait for metadata */
	bool held;     /* and so the task does, which has recorded nothing yet */
};

/* Makes the clock that the task owns; the first due time is in so many ms. 0 or -ENOMEM. */
int task_clock_start(uv_loop_t *loop, struct logging_task *task, uint64_t in_ms,
		     void (*on_due)(void *arg), void *arg);

/* The next due time is in so many ms. */
void task_clock_again(struct task_clock *c, uint64_t in_ms);

/*
 * Sets the next due time that has not passed by more than an interval. It stays if it is still to
 * come: a task that was held for its metadata takes its turn between two due times.
 */
void task_clock_advance(struct task_clock *c);

/* The task is not due any more. */
void task_clock_stop(struct task_clock *c);

/* Frees the clock and its plan, when the loop runs next. */
void task_clock_close(struct task_clock *c);

#endif
