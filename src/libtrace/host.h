/*
 * host - the application's process, in which the library is a guest.
 *
 *     host_thread   a thread of the library does not keep the process alive
 *     host_fd       descriptors whose numbers the application may reuse
 *     host_xfsz     no SIGXFSZ for a process that did not ask for a file
 */
#ifndef LIBTRACE_HOST_H
#define LIBTRACE_HOST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * ---- host_thread ----
 *
 * A process ends with its last thread (main may have called pthread_exit()). A thread that the
 * library made, and the programmer did not, must not keep the process alive.
 * Each thread of the library calls host_thread_enter() first and host_thread_leave() last, blocks
 * all signals and creates no threads. Threads are created by threads only. So when no other thread
 * is left, no other thread can appear, and the answer is final. It is computed from these reads, in
 * this order:
 *
 *     leaves  number of host_thread_leave() calls so far
 *     word    the process, and its number of library threads
 *     stat    one read of /proc/self/stat: has the first thread ended, and the number of
 *             threads, N. A first thread that has ended stays a zombie, and counts, until the
 *             process ends.
 *     leaves  again: it must have the same value
 *
 * The kernel takes N at one moment: it counts every living thread, ending ones included, and the
 * zombie. A library thread counts in N before it counts in `word`. On its way out it decrements
 * `word`, then increments `leaves`, then ends. So if `leaves` has not changed, every thread that
 * `word` counted was in N, and N - 1 == count means that N had no other thread. Every other
 * interleaving makes N larger: the check fails and is repeated later. A thread that a debugger has
 * not reaped yet is still counted in N.
 * The process then ends as if by exit(0) in a new thread: atexit() handlers get a thread with the
 * usual stack and signal mask, and the library works for them as in exit() from main. Without
 * /proc, or with a thread that the kernel runs for the process (the io_uring poller), the check
 * never succeeds and the process stays, as it does with any other thread.
 */

/* Called by each thread of the library: enter first, leave last. */
void host_thread_enter(void);
void host_thread_leave(void);

/* Called between the two: ends the process if no other thread is left. mask: the signal mask for
 * the thread that calls exit(). Does not block; costs a read of /proc. The caller must not hold a
 * lock that an exit handler may take. */
void host_thread_check(const sigset_t *mask);

/*
 * ---- host_fd ----
 *
 * The application may close descriptors that it did not open and then get their numbers for its own
 * files. Before the library uses a descriptor in a way that could damage such a file, it compares
 * the file with the mark that was taken when the descriptor was made.
 */

/* A value that identifies the file of a descriptor; 0: the descriptor is closed. */
uint64_t host_fd_mark(int fd);
bool host_fd_is(int fd, uint64_t mark);
/* Closes it if it still is the library's. */
void host_fd_close(int fd, uint64_t mark);

/*
 * ---- host_xfsz ----
 *
 * The limit applies to memory files too, and the kernel refuses with SIGXFSZ, which would kill a
 * process that has done nothing but link with the library. System calls only.
 */

struct host_xfsz {
	sigset_t old;
	bool was_pending;
};

/* Blocks SIGXFSZ in the calling thread. */
void host_xfsz_hold(struct host_xfsz *x);
/* Restores the signal mask; removes the signal that a refusal raised. Keeps errno. */
void host_xfsz_release(const struct host_xfsz *x, bool refused);

#endif
