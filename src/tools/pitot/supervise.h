/*
 * supervise - the daemons that `pitot up` keeps running.
 *
 * One that dies is started again, after a pause that doubles from one second to a minute and is
 * short again after a minute of steady work. None waits for another. Signals are taken
 * synchronously: nothing runs in a handler.
 */
#ifndef PITOT_SUPERVISE_H
#define PITOT_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "child.h"

enum { DAEMON_ARGS_MAX = 64 };

/* Whom daemons become. */
struct daemon_user {
	const char *name; /* NULL: no change of user; uid and gid are then -1 */
	uid_t uid;
	gid_t gid;
};

struct daemon {
	const char *what; /* "the collector": in messages */
	const char *log;
	const char *argv[DAEMON_ARGS_MAX]; /* ends with NULL */
	bool rereads;                      /* its configuration, at SIGHUP: ours is passed on */
	/* Called after each start and each unexpected end; NULL: no call. */
	void (*changed)(struct daemon *d);
	struct child child;
	int pause_ms;        /* before the next start */
	int64_t started_ms;  /* of this run */
	int64_t start_at_ms; /* 0: it runs, or is not to */
};

/* The first start. 0, or -errno after a message. */
int daemon_start(struct daemon *d, const struct daemon_user *user);

/* Ends it; does nothing where it does not run. */
void daemon_stop(struct daemon *d);

/* The next signal of child_parent_signals() within timeout_ms (< 0: for ever), or 0. */
int supervise_wait(int64_t timeout_ms);

/* Keeps them running until SIGINT, SIGTERM, or so many seconds have passed (0: never). */
void supervise(struct daemon *const daemons[], int n, const struct daemon_user *user, long seconds);

#endif
