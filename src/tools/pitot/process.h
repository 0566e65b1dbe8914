/*
 * process - processes of this host: as the kernel describes them, owners of ports, and children.
 */
#ifndef PITOT_PROCESS_H
#define PITOT_PROCESS_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * process - a process of this host, as the kernel describes it below /proc.
 *
 * A field that cannot be read (another user's process) stays unknown: -1.
 */

struct process {
	pid_t pid;     /* 0: not a process of this host */
	char name[32]; /* as the kernel has it */
	int64_t uid;
	int64_t start_ms;   /* since boot */
	int64_t rss_kb;     /* resident */
	int64_t pss_kb;     /* memory, with shared pages counted by their share */
	int64_t cpu_us;     /* CPU time used so far */
	double cpu_percent; /* share of one processor during the window; NAN: unknown */
	int64_t fds;        /* open descriptors */
	int64_t fds_limit;
	bool stopped;      /* stopped by a signal or a debugger */
	bool program_gone; /* its file was replaced or removed */
};

/* True if there is such a process. */
bool process_read(pid_t pid, struct process *ret_process);

/* A struct in which everything is unknown. */
void process_init(struct process *p);

/*
 * portowner - the process that listens at a TCP port of this host, as far as the kernel shows it.
 */

struct portowner {
	int port;
	bool taken;
	int64_t uid;   /* owner of the socket */
	pid_t pid;     /* 0: unknown, because its descriptors are not readable */
	char name[32]; /* of the process; "": unknown */
};

void portowner_find(int port, struct portowner *ret_owner);

/* "process 12 (nginx) of root", "a process of user 33"; text holds at least 128 bytes. */
const char *portowner_text(const struct portowner *o, char *text, size_t size);

/* The name of a user, or its number. */
const char *user_name(int64_t uid, char *text, size_t size);

/*
 * child - a process that `pitot up` started and supervises.
 *
 * The kernel kills it if its parent ends in any way. All descriptors except the standard ones are
 * closed in it by O_CLOEXEC.
 */

struct child {
	pid_t pid;  /* 0: not running */
	int status; /* the status of waitpid, after it has ended */
};

/*
 * The signals that the parent blocks, because it waits for them synchronously: those that end it,
 * and SIGCHLD.
 */
sigset_t child_parent_signals(void);

/*
 * Starts argv as this user and group, (uid_t)-1: unchanged. Returns 0, or -errno of any step up to
 * exec.
 */
int child_start(struct child *c, char *const argv[], const char *user, uid_t uid, gid_t gid);

/* True if the child has ended; then the status is in the struct. */
bool child_ended(struct child *c);

/* Ends it: SIGTERM, then SIGKILL after the given time. */
void child_stop(struct child *c, int patience_ms);

/* "exited with status 1", "was killed by SIGSEGV"; text holds at least 64 bytes. */
const char *child_status_text(const struct child *c, char *text, size_t size);

/* capture - the standard error of a program, or of a function in a process of its own. */

enum {
	CAPTURE_TEXT_MAX = 8192,
	CAPTURE_MS = 5000,     /* milliseconds until it is killed */
	CAPTURE_NOT_RUN = 127, /* a status from here on means that the check itself failed */
};

/*
 * Runs the program argv, or the function if argv is NULL. Returns the exit status, 128 + the
 * signal, or -errno; text gets the beginning of standard error.
 */
int capture(char *const argv[], int (*function)(const void *arg), const void *arg, char *text,
	    size_t size);

#endif
