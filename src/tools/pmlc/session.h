/*
 * session - the recorder that we talk to, and the zone that times are told in.
 */
#ifndef PMLC_SESSION_H
#define PMLC_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include <pcp/libpcp.h>

#include "tools/pmlc/command.h"

struct session {
	int fd;          /* -1: not connected */
	char host[512];  /* by which it is reached */
	const char *default_host;
	enum target target;
	int pid, port;   /* PM_LOG_NO_PID, PM_LOG_NO_PORT: not known */
	enum zone zone;
	char zone_text[128]; /* ZONE_GIVEN */
	bool explained;      /* that instances must be active */
};

/* Connects, after ending the connection there is. host NULL: the default. 0, or the error. */
int session_connect(struct session *s, enum target target, uint32_t number, const char *host);
void session_disconnect(struct session *s);

/* "primary pmlogger at local:" as messages have it. first: for the command line. */
void session_print_target(const struct session *s, bool first, FILE *f);

/* Tells of a failed exchange after what; where the connection is of no use any more it ends. */
void session_failed(struct session *s, const char *what, int error);

/* Asks for the status: 0 and *ret_status, or -1 after telling. */
int session_status(struct session *s, __pmLoggerStatus **ret_status);

/* Makes the zone that is asked for the one that times are told in; its name for messages. */
const char *session_use_zone(struct session *s, const __pmLoggerStatus *status);

#endif
