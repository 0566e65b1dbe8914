/*
 * wake - readers that sleep until there may be something to read.
 *
 * Writers never wake a reader (docs/spec/trace-design.md 5), so readers sleep in short naps; control
 * operations wake them at once.
 *
 *     wake_enter()   with the stream's lock: one more sleeper
 *     wake_nap()     without it
 *     wake_leave()   with the lock again
 *
 * A nap is a ppoll(), which unblocks signals and sleeps in one step. A reader keeps signals blocked
 * while it looks at the stream, so that none can arrive unnoticed between the look and the sleep.
 * ppoll() watches a pipe, which is made for the first sleeper. The pipe stays readable until the last
 * sleeper has left, so that a wake-up reaches all of them. If the application closes the pipe
 * (it closes all descriptors), this is noticed, and naps end by their timeout only.
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
/* Sleeps with the signal mask `mask`: 0 if woken or the time has passed, -EINTR. The caller must
 * have disabled cancellation. */
int wake_nap(const struct wake *wake, uint64_t ns, const sigset_t *mask);

/* Wakes all sleepers; with the stream's lock. */
void wake_all(struct wake *wake);

#endif
