/*
 * proc - a process as the library knows it: pid and start time, so that a pid that comes again is
 * not mistaken, and who may trace it.
 *
 * System calls only (no malloc, no stdio): the keeper and signal handlers use it.
 */
#ifndef LIBTRACE_PROC_H
#define LIBTRACE_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "libtrace/layout.h"

/* 0, -ESRCH. A zombie is a process still; pid 0 is the caller. */
int proc_identify(pid_t pid, struct proc_id *ret);

/* The caller's own id; right in a child after any kind of fork. */
struct proc_id proc_self(void);

/* Whether that process, and no later one, exists and is not a zombie. */
bool proc_alive(const struct proc_id *proc);

/* Where the first thread of the caller's process has ended: how many threads it has beside that one,
 * those that are about to end included. 0: the first thread lives, or it cannot be seen. */
uint64_t proc_threads_without_first(void);

/* Whether the first thread of a process has ended and others live. Files of /proc/PID that tell of
 * its memory, descriptors and name spaces are empty or missing then. */
bool proc_first_ended(pid_t pid);

/* The inode of the caller's pid name space; 0: not known. A process of another one is not to be judged
 * by its pid, which is somebody else's or nobody's here. */
uint32_t proc_space(void);

/* Whether /proc counts processes as getpid() does: not in a pid name space that has none of its own. */
bool proc_own_view(void);

/* The parent of a process: 0, -ESRCH when it is gone or out of sight. */
int proc_parent(const struct proc_id *child, struct proc_id *ret);

bool proc_equal(const struct proc_id *a, const struct proc_id *b);

/* Start-up: a child made by any kind of fork forgets who its parent was. In a fork handler: forget
 * now. */
void proc_wipe_on_fork(void);
void proc_forget_self(void);

/* Reads /proc/PID/NAME (pid 0: the caller's) as a string, cut off at the size: bytes, -errno. */
int proc_read(pid_t pid, const char *name, char *buf, size_t size);

/*
 * 0, -ESRCH, -EPERM by the rule of docs/spec/posix-trace.md 10.2: all uids and gids of the target
 * equal the caller's effective ones, or CAP_SYS_PTRACE; and the kernel lets the caller look at it.
 * -EPERM also where the two would never meet: another pid or time name space, another /dev/shm, a
 * set-user-id target that does not look where the caller writes. ret_uid: the target's effective
 * uid, whose directory its registry is in.
 */
int proc_may_trace(pid_t pid, uid_t *ret_uid);

/* Whether the caller has CAP_SYS_PTRACE. */
bool proc_privileged(void);

/* Whether this program was started with rights that its caller does not have (AT_SECURE). */
bool proc_secure(void);

#endif
