/*
 * turn - when each task is fetched, and the way of its values into the archive
 * (docs/spec/logger.md A4).
 *
 *     due --> fetch --> [is all still what it was?] --> [questions] --> write --> next group, task
 *              fetch_conn         worker                     worker
 *
 * One task at a time, in the order of the state's list, but after a task's first turn those that go
 * on are first; what is due meanwhile waits. A task whose metrics are new waits until they are
 * prepared (prepare.h). task_clock.h has the times at which a task is due.
 */
#ifndef PMLOGGER_TURN_H
#define PMLOGGER_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "daemons/pmlogger/group_fetch.h"
#include "daemons/pmlogger/meta_query.h"
#include "daemons/pmlogger/name_query.h"
#include "daemons/pmlogger/prepare.h"
#include "daemons/pmlogger/worker.h"

struct bounds;
struct worker_host;
struct logging;
struct options;
struct worker;
struct recorder;
struct task_clock;

struct turn {
	const struct options *options;
	uv_loop_t *loop;
	struct bounds *bounds;
	struct recorder *recorder;
	struct logging *logging; /* which tasks there are */
	struct worker *worker;   /* from turn_begin on */
	const struct worker_host *host;
	/* The collector has names that it had not; or NULL. */
	void (*on_names)(void *arg);
	void *arg;
	struct task_clock *clock; /* the task of the turn; NULL: none */
	size_t group;             /* in hand, of its plan */
	struct group_fetch fetch;
	struct meta_query meta;
	struct name_query check;
	struct worker_pulse pulse;
	struct prepare prepare;
	bool began; /* the turn before was the first of its task */
	bool labels_changed, names_changed;
	bool labels_asked;  /* with the result in hand */
	uint64_t labels_ms; /* when they were asked last; 0: never */
	unsigned int reconnects;
	uv_timer_t limit; /* of the end */
	bool over;        /* nothing is written any more */
	bool lost;        /* said */
	int fetch_error;  /* said */
};

/* The parts are the caller's, and need not have begun. */
void turn_init(struct turn *t, struct bounds *bounds, struct logging *logging,
	       const struct worker_host *host);
/* Before the first turn: the loop runs, and worker is there. */
void turn_begin(struct turn *t, struct worker *worker);
/* Its handles are closed. */
void turn_close(struct turn *t);
/* Called after the worker thread has ended, because it may read a plan until then. The loop must
 * run once more. */
void turn_done(struct turn *t);

/*
 * Tasks came, went or changed: clocks are started and stopped. first: at the start, repeating tasks
 * begin 20 ms later, after those that are logged once.
 */
void turn_sync(struct turn *t, bool first);

/* Another archive has begun: what the configuration wants once is wanted of it, too. */
void turn_repeat_once(struct turn *t);

/* No turn begins any more. That in hand comes to its end, in two seconds at most: what it has
 * fetched an agent may not have any more. */
void turn_stop(struct turn *t);

#endif
