/*
 * child - a process that `pitot up` started and watches.
 *
 * It dies with its parent, however that ends. All descriptors but the standard ones are closed in
 * it by their O_CLOEXEC.
 */
#ifndef PITOT_CHILD_H
#define PITOT_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;  /* 0: not running */
	int status; /* as waitpid gives it, once it ended */
};

/* The signals that a parent blocks if it takes them synchronously: those that end it, and
 * SIGCHLD. */
sigset_t child_parent_signals(void);

/* Starts argv as this user and group, (uid_t)-1: unchanged. 0, or -errno of what failed up to exec.
 */
int child_start(struct child *c, char *const argv[], const char *user, uid_t uid, gid_t gid);

/* True if the child has ended; its status is then in the struct. */
bool child_ended(struct child *c);

/* Ends it: SIGTERM, then SIGKILL after the patience. */
void child_stop(struct child *c, int patience_ms);

/* "exited with status 1", "was killed by SIGSEGV"; text holds at least 64 bytes. */
const char *child_status_text(const struct child *c, char *text, size_t size);

#endif
