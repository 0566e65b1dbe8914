/*
 * agent_slow - a refresh that may hang, in a thread of its own.
 *
 *     fetching thread                        helper
 *     ask    IDLE -> ASKED  (signal) ------> runs the refresh into the sample it was given
 *     wait, at most the cluster's wait_ms
 *     take   DONE -> IDLE   <--------------- ASKED -> DONE (signal)
 *
 * The sample belongs to the helper from ask to DONE, and to the fetching thread otherwise; state is
 * under the lock, the sample needs none. A helper that hangs stays in ASKED: fetches do not wait
 * for it again, and serve the sample that was taken last. The thread starts at the first ask,
 * blocks all signals, and lives as long as the process unless it is abandoned.
 */
#ifndef LIBPCP_PMDA_AGENT_SLOW_H
#define LIBPCP_PMDA_AGENT_SLOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
