/*
 * session - a program that records while it runs: it started the recorder with -x FD, and says by
 * lines on it what becomes of the recording (docs/spec/logger.md A9).
 */
#ifndef PMLOGGER_SESSION_H
#define PMLOGGER_SESSION_H

#include <stdbool.h>

#include <uv.h>

struct bounds;

enum { SESSION_LINE_MAX = 1024 }; /* longer ones are cut */

struct session {
	struct bounds *bounds; /* of the recording */
	const char *host;      /* as the collector calls itself */
	uv_poll_t poll;
	bool open;
	bool handed_on; /* the descriptor stays open */
	int fd;
	char line[SESSION_LINE_MAX];
	unsigned int len;
	char folio[SESSION_LINE_MAX]; /* "": unknown */
	bool replay;                  /* it can be shown again */
};

/* Listens to -x; does nothing without. 0; -errno for a descriptor that can't be listened to, said.
 */
int session_start(struct session *s, struct bounds *bounds, const char *host);

void session_stop(struct session *s);

/* Stops listening, because this program is restarted: the new one continues the session, if it is
 * not over. */
void session_hand_on(struct session *s);

#endif
