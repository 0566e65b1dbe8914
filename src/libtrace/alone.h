/*
 * alone - whether the threads of the library are the only ones that are left, and how the process ends
 * then: a process ends with its last thread (pthread_exit of main included), and a thread that its
 * programmer never made must not keep it.
 *
 * Each such thread is between alone_enter() and alone_leave(), has all signals blocked and makes no
 * threads. That makes "alone" final: threads come from threads alone, so where none but ours is left
 * none will come. What is read to find it out, in this order:
 *
 *     word    the process and how many of our threads there are
 *     stat    one read of /proc/self/stat: has the first thread ended, and the number of threads, N.
 *             A first thread that has ended stays a zombie, and counts, until the whole process ends.
 *     leaves  how often one of ours has left: the same number as before `word` was read
 *
 * N, taken at one moment, counts every living thread, those that are about to end, and the zombie. One
 * of ours counts in N before it counts in `word`, and it leaves `word`, then adds to `leaves`, then
 * ends. So with `leaves` unchanged all that `word` counted were in N, and N - 1 equal to that number
 * says that N held nobody else. Whatever else happens in between makes N larger: not alone yet, the
 * next look tells. A thread that was reaped by nobody (its debugger has to) is still one of N.
 *
 * The process then ends as by exit(0) of a thread that is made for it: handlers of atexit() have a
 * thread with the usual stack and signal mask, and the library works for them as it does in exit()
 * of main. Without /proc, or with a thread that the kernel runs for the process (io_uring's poller),
 * this is never found out: the process stays, as it does with any other thread.
 */
#ifndef LIBTRACE_ALONE_H
#define LIBTRACE_ALONE_H

#include <signal.h>

/* By each thread of the library, first thing and last thing. */
void alone_enter(void);
void alone_leave(void);

/* Between the two: ends the process if it is time to. mask: of the thread that does. Waits for
 * nobody; a read of /proc. Not with a lock that an exit handler might want. */
void alone_check(const sigset_t *mask);

#endif
