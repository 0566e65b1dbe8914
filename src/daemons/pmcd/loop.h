/*
 * loop - the turns of the collector: timers, deferred work, signals and the clock of deadlines.
 *
 * A turn of the loop: deferred work (clients with more to be served), then the events of the
 * descriptors, and after each of the two the call-back settle: one write for each agent that was
 * asked, a reconfiguration, the end. A timer ticks while anything has a deadline. The loop knows
 * neither clients nor agents: its user gives the call-backs.
 */
#ifndef PMCD_LOOP_H
#define PMCD_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <uv.h>

#include "daemons/pmcd/inbox.h"

enum {
	LOOP_TICK_MS = 100,
	LOOP_STALL_MS = 1000,    /* a longer pause of the loop does not count for deadlines */
	LOOP_TURN_NS = 2000000,  /* spent on deferred work before the loop looks for more of it */
	LOOP_ALIVE_SIGNS = 3,    /* to the service manager, within its patience */
	LOOP_SHARED = 256 << 10, /* bytes received in one read, at most */
};

/* The loop calls these with the arg of loop_init. */
struct loop_ops {
	/* Does deferred work of at most LOOP_TURN_NS. True: some is left for the next turn. */
	bool (*work)(void *arg);
	/* Before the loop waits, and after the events of the descriptors. */
	void (*settle)(void *arg);
	/* Looks at deadlines. True: there are some, so that the tick goes on. */
	bool (*tick)(void *arg, uint64_t now_ms);
	void (*signal)(void *arg, const struct signalfd_siginfo *info);
};

struct loop;

/* The time as the collector sees it: the machine's, or that of a test, which sets clock. */
struct loop_clock {
	/* When the turn began. */
	uint64_t (*now_ms)(const struct loop *l);
	/* Now, to measure what work takes. */
	uint64_t (*mono_ns)(const struct loop *l);
	/* How long the loop has waited for events. */
	uint64_t (*idle_ns)(const struct loop *l);
};

struct loop {
	uv_loop_t uv;
	const struct loop_clock *clock;
	uv_idle_t idle;
	uv_prepare_t prepare;
	uv_check_t check;
	uv_timer_t tick;
	uv_timer_t alive; /* notifies the service manager, if one waits for it */
	uv_poll_t signals;
	int signal_fd;
	const struct loop_ops *ops;
	void *arg;
	uint64_t seen_ms, paused_ms; /* see loop_run_ms */
	uint64_t spent_ns;           /* on serving clients, in this turn */
	bool tick_wanted;           /* in a tick: something got a deadline after it was looked at */
	struct inbox_memory shared; /* where each read of a descriptor is received */
};

/* A loop that has nothing to do. arg is passed to the call-backs. 0 or -errno. */
int loop_init(struct loop *l, const struct loop_ops *ops, void *arg);

/* The signals of the process are the loop's from now on. 0 or -errno. */
int loop_watch_signals(struct loop *l);

/* Runs until loop_stop. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);

/* Closes all handles and frees all. */
void loop_done(struct loop *l);

/* There is deferred work: ops->work is called at the start of the next turn. */
void loop_want_work(struct loop *l);

/* There is something with a deadline now. */
void loop_want_tick(struct loop *l);

static inline uint64_t loop_now_ms(const struct loop *l)
{
	return l->clock->now_ms(l);
}

static inline uint64_t loop_mono_ns(const struct loop *l)
{
	return l->clock->mono_ns(l);
}

static inline uint64_t loop_idle_ns(const struct loop *l)
{
	return l->clock->idle_ns(l);
}

/*
 * The clock of deadlines: the time that the collector itself has run. It does not advance while the
 * process is stopped or frozen, the machine is suspended, or an agent in the process blocks the
 * loop: a peer is not late when the collector was not there to read what it had sent. While
 * anything has a deadline the tick reads this clock every LOOP_TICK_MS, so that a longer pause is
 * seen.
 */
static inline uint64_t loop_run_ms(struct loop *l)
{
	uint64_t now_ms = loop_now_ms(l);

	if (now_ms - l->seen_ms > LOOP_STALL_MS)
		l->paused_ms += now_ms - l->seen_ms;
	l->seen_ms = now_ms;
	return now_ms - l->paused_ms;
}

#endif
