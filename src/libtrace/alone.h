/*
 * alone - end the process when only threads of the library are left.
 *
 * A process ends with its last thread (main may have called pthread_exit()). A thread that the
 * library made, and the programmer did not, must not keep the process alive.
 *
 * Each thread of the library calls host_thread_enter() first and host_thread_leave() last, blocks all signals and
 * creates no threads. Threads are created by threads only. So when no other thread is left, no other
 * thread can appear, and the answer is final. It is computed from these reads, in this order:
 *
 *     leaves  number of host_thread_leave() calls so far
 *     word    the process, and its number of library threads
 *     stat    one read of /proc/self/stat: has the first thread ended, and the number of threads, N.
 *             A first thread that has ended stays a zombie, and counts, until the process ends.
 *     leaves  again: it must have the same value
 *
 * The kernel takes N at one moment: it counts every living thread, ending ones included, and the
 * zombie. A library thread counts in N before it counts in `word`. On its way out it decrements
 * `word`, then increments `leaves`, then ends. So if `leaves` has not changed, every thread that
 * `word` counted was in N, and N - 1 == count means that N had no other thread. Every other
 * interleaving makes N larger: the check fails and is repeated later. A thread that a debugger has
 * not reaped yet is still counted in N.
 *
 * The process then ends as if by exit(0) in a new thread: atexit() handlers get a thread with the
 * usual stack and signal mask, and the library works for them as in exit() from main. Without /proc,
 * or with a thread that the kernel runs for the process (the io_uring poller), the check never
 * succeeds and the process stays, as it does with any other thread.
 */
#ifndef LIBTRACE_ALONE_H
#define LIBTRACE_ALONE_H

#include <signal.h>

/* Called by each thread of the library: enter first, leave last. */
void host_thread_enter(void);
void host_thread_leave(void);

/* Called between the two: ends the process if no other thread is left. mask: the signal mask for
 * the thread that calls exit(). Does not block; costs a read of /proc. The caller must not hold a
 * lock that an exit handler may take. */
void host_thread_check(const sigset_t *mask);

#endif
