/*
 * wake - readers that sleep until there may be something to read. Nobody who records wakes them
 * (docs/spec/trace-design.md 5), so they sleep in short naps; control operations wake them at once.
 *
 *     wake_enter()   with the stream's lock: one more sleeper
 *     wake_nap()     without it
 *     wake_leave()   with the lock again
 *
 * The nap is a ppoll(), because it lets signals in and sleeps in one step: a reader keeps them
 * blocked while it looks at the stream, so that none can slip in between look and sleep unnoticed.
 * What it polls is a pipe, made when somebody sleeps for the first time; it stays readable until
 * the last sleeper has left, so that a wake-up reaches all of them. An application that closes all
 * descriptors takes it away: that is noticed, and naps just end by themselves.
 */
#ifndef LIBTRACE_WAKE_H
#define LIBTRACE_WAKE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct wake {
	int fd[2]; /* -1: none */
	uint64_t mark[2]; /* own_fd.h */
	unsigned sleepers;
	bool called;
};

void wake_init(struct wake *wake);
void wake_done(struct wake *wake);

void wake_enter(struct wake *wake);
void wake_leave(struct wake *wake);
/* Sleeps with the signal mask `mask`: 0 when it was woken or the time is over, -EINTR. The caller
 * cannot be cancelled meanwhile. */
int wake_nap(const struct wake *wake, uint64_t ns, const sigset_t *mask);

/* Wakes everybody; with the stream's lock. */
void wake_all(struct wake *wake);

#endif
