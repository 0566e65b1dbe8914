/*
 * processes - the table of the processes that can be traced, in order of pid. Only the thread changes it.
 *
 * With the lock, where it says nothing else; the thread may look without it.
 */
#ifndef TRACING_PROCESSES_H
#define TRACING_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include <trace_np.h>

#include "process.h"

/* The one of a pid, or NULL. */
struct process *processes_of(pid_t pid);

/* One that is in no table, to be freed; NULL: no memory. */
struct process *processes_new(const struct posix_trace_process_np *from);

/* Without the lock: the table has these, in order of pid, from now on. */
void processes_take(const struct posix_trace_process_np *list, size_t n);

/* When the thread has ended: the table is empty. */
void processes_done(void);

#endif
