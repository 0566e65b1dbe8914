/*
 * proc - identify processes by pid and start time, so that a reused pid is a different process; and
 * which process may trace which.
 *
 * System calls only (no malloc, no stdio): the keeper and signal handlers use it.
 */
#ifndef LIBTRACE_PROC_H
#define LIBTRACE_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "libtrace/layout.h"

/* 0, -ESRCH. A zombie is still a process; pid 0 is the caller. */
int proc_identify(pid_t pid, struct proc_id *ret_id);

/* The caller's own id; correct in a child after any kind of fork. */
struct proc_id proc_self(void);

/* Does that very process exist, and is it not a zombie? */
bool proc_alive(const struct proc_id *proc);

/* If the first thread of the caller's process has ended: the number of its other threads, ending
 * ones included. 0: the first thread lives, or /proc cannot be read. */
uint64_t proc_threads_without_first(void);

/* Has the first thread of a process ended while others live? Then the files of /proc/PID about
 * memory, descriptors and name spaces are empty or missing. */
bool proc_first_ended(pid_t pid);

/* The inode of the caller's pid name space; 0: unknown. A pid from another name space means
 * nothing here. */
uint32_t proc_space(void);

/* Does /proc use the pids of getpid()? Not in a pid name space that has no /proc of its own. */
bool proc_own_view(void);

/* The parent of a process: 0, -ESRCH if it has ended or cannot be seen. */
int proc_parent(const struct proc_id *child, struct proc_id *ret_id);

bool proc_equal(const struct proc_id *a, const struct proc_id *b);

/* At start-up: makes a child of any kind of fork forget the cached identity. In a fork handler:
 * forget it now. */
void proc_wipe_on_fork(void);
void proc_forget_self(void);

/* Reads /proc/PID/NAME (pid 0: the caller's) as a string, cut off at the size: bytes, -errno. */
int proc_read(pid_t pid, const char *name, char *buf, size_t size);

/*
 * 0, -ESRCH, -EPERM by the rule of docs/spec/posix-trace.md 10.2: all uids and gids of the target
 * must equal the caller's effective ones, or the caller has CAP_SYS_PTRACE; and the kernel must
 * permit the access. -EPERM also if the two could never meet: another pid or time name space,
 * another /dev/shm, a set-user-id target that does not look where the caller writes. ret_uid: the
 * target's effective uid, in whose directory its registry is.
 */
int proc_may_trace(pid_t pid, uid_t *ret_uid);

/* Does the caller have CAP_SYS_PTRACE? */
bool proc_privileged(void);

/* Was this program started with rights that its caller does not have (AT_SECURE)? */
bool proc_secure(void);

#endif
