/*
 * session - the connected recorder, and the zone in which times are printed.
 */
#ifndef PMLC_SESSION_H
#define PMLC_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include <pcp/libpcp.h>

#include "tools/pmlc/command.h"

struct session {
	int fd;          /* -1: not connected */
	char host[512];  /* the host and the recorder that it is connected to */
	const char *default_host;
	enum target target;
	int pid, port;   /* PM_LOG_NO_PID, PM_LOG_NO_PORT: not known */
	enum zone zone;
	char zone_text[128]; /* the zone of ZONE_GIVEN */
	bool explained;      /* instances must be active */
};

/*
 * Connects, after closing an existing connection. host NULL: the default. Returns 0 or the error.
 */
int session_connect(struct session *s, enum target target, uint32_t number, const char *host);
void session_disconnect(struct session *s);

/* "primary pmlogger at local:", as messages have it. first: for the command line. */
void session_print_target(const struct session *s, bool first, FILE *f);

/*
 * Reports a failed exchange in the step `what`. Closes the connection if it can no longer be used.
 */
void session_failed(struct session *s, const char *what, int error);

/* Requests the status. Returns 0 and *ret_status, or -1 after reporting an error. */
int session_status(struct session *s, __pmLoggerStatus **ret_status);

/* Makes the requested zone the reporting zone; the result is its name for messages. */
const char *session_use_zone(struct session *s, const __pmLoggerStatus *status);

#endif
