/*
 * agent_worker - runs the refreshes of a cluster: a handle, a reading to fill, and for clusters
 * that may be slow a thread.
 *
 * A worker whose refresh hangs is abandoned: it keeps its memory and its thread until it comes
 * back, if ever, and another takes its place, which leaves alone what the first one hangs on
 * (agent_may_hang_on). So one dead mount costs its own values, not those of all others.
 */
#ifndef LIBPCP_PMDA_AGENT_WORKER_H
#define LIBPCP_PMDA_AGENT_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libpcp_pmda/agent_refresh.h"

/* ---- A helper thread ------------------------------------------------------------------------ */

/*
 * A refresh that may hang, in a thread of its own.
 *
 *     fetching thread                        helper
 *     ask    IDLE -> ASKED  (signal) ------> runs the refresh into the reading it was given
 *     wait, at most the cluster's wait_ms
 *     take   DONE -> IDLE   <--------------- ASKED -> DONE (signal)
 *
 * The reading belongs to the helper from ask to DONE, and to the fetching thread otherwise; state
 * is under the lock, the reading needs none. A helper that hangs stays in ASKED: fetches do not
 * wait for it again, and serve the reading that was taken last. The thread starts at the first ask,
 * blocks all signals, and lives as long as the process unless it is abandoned.
 */
enum slow_state { SLOW_IDLE, SLOW_ASKED, SLOW_DONE };

struct slow {
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum slow_state state;
	bool started;
	bool abandoned; /* the thread ends after the work under way */
	void (*work)(void *arg);
	void *arg;
};

/* work(arg) is what an ask runs. -errno. */
int slow_init(struct slow *s, void (*work)(void *arg), void *arg);

/* True if a work was done since the last take: its results are the caller's again. */
bool slow_take(struct slow *s);

/* Starts a work unless one is under way. True if this call has started it; false also when no
 * thread can be had. */
bool slow_ask(struct slow *s);

/* True while a work is under way. */
bool slow_busy(struct slow *s);

/*
 * True if a refresh is under way: no fetch waits for it any more, and s may be freed once it is
 * done (slow_busy). False, and nothing changes, if it has ended by now: a thread that sleeps until
 * the next ask would not notice, and needs s.
 */
bool slow_abandon(struct slow *s);

/* Waits up to wait_ms for the work under way; then as slow_take. */
bool slow_wait(struct slow *s, unsigned int wait_ms);

/* ---- The worker ----------------------------------------------------------------------------- */

/* Abandoned workers of a cluster; with so many, the next one that hangs is waited for. */
#define WORKER_MAX_STUCK 16

/* A refresh that takes longer than this hangs. */
#define WORKER_HANG_MS 2000

struct cluster_state;

struct worker {
	struct agent_refresh refresh;
	struct reading reading;
	struct slow slow;
	uint64_t asked_ms;   /* CLOCK_MONOTONIC of the last worker_ask */
	char what[256];      /* what the refresh may hang on now; under the cluster's stuck_lock */
	struct worker *next; /* in the cluster's list of abandoned ones */
};

/* A worker for the cluster, whose blank is set; no thread as yet. -errno. */
int worker_new(struct cluster_state *c, struct worker **ret_worker);

/* Not while its thread runs a refresh. */
void worker_free(struct worker *w);

/* Refreshes into w->reading, in the calling thread. */
void worker_run(struct worker *w);

/* Has the thread refresh into w->reading unless it is at it; as slow_ask. */
bool worker_ask(struct worker *w);

/* True if the refresh under way hangs. */
bool worker_hangs(struct worker *w);

#endif
