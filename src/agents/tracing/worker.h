/*
 * worker - the thread that finds processes, attaches them, takes the events out, and does what
 * users ask for: one command at a time.
 */
#ifndef TRACING_WORKER_H
#define TRACING_WORKER_H

#include <stdint.h>
#include <sys/types.h>

/* Starts the thread, if it does not run in this process yet: 0, -errno. Ends it, and all streams.
 */
int worker_start(void);
void worker_stop(void);

/* ---- what a user asks for ---- */

/*
 * With the lock, which is given up meanwhile: a user asks for a process to be attached (only: names
 * by commas, "" for all) or detached. 0; -ESRCH, -EEXIST, PM_ERR_PERMISSION; PM_ERR_AGAIN if the
 * thread has not done it in time: it will, and a repeated command gets its result if it is still
 * under way.
 */
int command_attach(pid_t pid, const char *only, uid_t who);
int command_detach(pid_t pid, uid_t who);

#endif
