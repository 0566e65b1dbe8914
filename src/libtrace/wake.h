/*
 * wake - readers that sleep until there may be something to read.
 *
 * Writers never wake a reader (docs/spec/trace-design.md 5), so readers sleep in short naps; control
 * operations wake them at once.
 *
 *     stream_wake_enter()   with the stream's lock: one more sleeper
 *     stream_wake_nap()     without it
 *     stream_wake_leave()   with the lock again
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

struct stream_wake {
	int fd[2]; /* -1: none */
	uint64_t mark[2]; /* own_fd.h */
	unsigned sleepers;
	bool called;
};

void stream_wake_init(struct stream_wake *wake);
void stream_wake_done(struct stream_wake *wake);

void stream_wake_enter(struct stream_wake *wake);
void stream_wake_leave(struct stream_wake *wake);
/* Sleeps with the signal mask `mask`: 0 if woken or the time has passed, -EINTR. The caller must
 * have disabled cancellation. */
int stream_wake_nap(const struct stream_wake *wake, uint64_t ns, const sigset_t *mask);

/* Wakes all sleepers; with the stream's lock. */
void stream_wake_all(struct stream_wake *wake);

#endif
