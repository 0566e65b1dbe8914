/*
 * command - what a user asks the thread to do: one at a time.
 */
#ifndef TRACING_COMMAND_H
#define TRACING_COMMAND_H

#include <stdint.h>
#include <sys/types.h>

/*
 * With the lock, which is given up meanwhile: a user asks for a process to be attached (only: names
 * by commas, "" for all) or detached. 0; -ESRCH, -EEXIST, PM_ERR_PERMISSION; PM_ERR_AGAIN if the
 * thread has not done it in time: it will, and a repeated command gets its result if it is still
 * under way.
 */
int command_attach(pid_t pid, const char *only, uid_t who);
int command_detach(pid_t pid, uid_t who);

/* The thread's, without the lock: does what is asked. */
void command_run(void);

/* The thread's, with the lock: sleeps until something is asked, or ms are over. Wakes it. */
void command_await(uint64_t ms);
void command_wake(void);

/* There is a thread; there is none any more. */
void command_begin(void);
void command_end(void);

#endif
