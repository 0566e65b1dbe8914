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
 * A field that may not be read (another user's) stays unknown: -1.
 */

struct process {
	pid_t pid;     /* 0: none of this host */
	char name[32]; /* as the kernel has it */
	int64_t uid;
	int64_t start_ms;   /* since boot */
	int64_t rss_kb;     /* resident */
	int64_t pss_kb;     /* of it, pages that others share by their part */
	int64_t cpu_us;     /* used so far */
	double cpu_percent; /* of one processor, over the window; NAN: unknown */
	int64_t fds;        /* open descriptors */
	int64_t fds_limit;
	bool stopped;      /* by a signal or a debugger */
	bool program_gone; /* its file was replaced or removed */
};

/* True if there is such a process. */
bool process_read(pid_t pid, struct process *ret_process);

/* An empty one: nothing is known. */
void process_init(struct process *p);

/*
 * portowner - the process that listens at a TCP port of this host, as far as the kernel shows
 * it.
 */

struct portowner {
	int port;
	bool taken;
	int64_t uid;   /* whose socket it is */
	pid_t pid;     /* 0: unknown, its descriptors are not ours to see */
	char name[32]; /* of the process; "": unknown */
};

void portowner_find(int port, struct portowner *ret_owner);

/* "process 12 (nginx) of root", "a process of user 33"; text holds at least 128 bytes. */
const char *portowner_text(const struct portowner *o, char *text, size_t size);

/* The name of a user, or its number. */
const char *user_name(int64_t uid, char *text, size_t size);

/*
 * child - a process that `pitot up` started and watches.
 *
 * It dies with its parent, however that ends. All descriptors but the standard ones are closed in
 * it by their O_CLOEXEC.
 */

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

/*
 * capture - what a program, or a function in a process of its own, says on standard error.
 */

enum {
	CAPTURE_TEXT_MAX = 8192,
	CAPTURE_MS = 5000,     /* then it is killed */
	CAPTURE_NOT_RUN = 127, /* from here on a status says nothing of what was asked */
};

/*
 * Runs the program argv, or where that is NULL the function. The exit status, 128 + the signal, or
 * -errno; text gets the beginning of what it said.
 */
int capture(char *const argv[], int (*function)(const void *arg), const void *arg, char *text,
	    size_t size);

#endif
