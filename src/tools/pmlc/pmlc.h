/*
 * pmlc - shared declarations of the tool's files: the connected recorder, metrics, and the
 * commands.
 */
#ifndef PMLC_PMLC_H
#define PMLC_PMLC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "tools/pmlc/script.h"

struct command;

/*
 * session - the connected recorder, and the zone in which times are printed.
 */

struct session {
	int fd;         /* -1: not connected */
	char host[512]; /* the host and the recorder that it is connected to */
	const char *default_host;
	enum target target;
	int pid, port; /* PM_LOG_NO_PID, PM_LOG_NO_PORT: not known */
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

/*
 * metrics - the metrics and instances of a command, as the recorder's collector knows them.
 */

struct metric {
	pmID pmid;
	char *name; /* the name under which it was found first */
	pmDesc desc;
	bool all; /* all instances, or a metric without instances */
	int *insts;
	int ninst;
};

/* The current instances of a domain. */
struct domain {
	pmInDom indom;
	int n; /* or an error */
	int *insts;
	char **names;
};

struct metrics {
	struct metric *list;
	int n, room;
	struct domain *domains;
	int ndomain;
	bool failed; /* an error was reported, and the command is not carried out */
};

/*
 * Finds the metrics that a command names, in a new context that stays the current one. Returns 0,
 * or -1 after reporting an error; the caller calls metrics_done in both cases.
 */
int metrics_find(struct metrics *m, struct session *s, const struct metric_spec *specs);
void metrics_done(struct metrics *m);

/*
 * The request for the recorder, which the caller frees with pmFreeResult. Exits if out of memory.
 */
pmResult *metrics_request(const struct metrics *m);

/* The current name of an instance of a domain, or NULL. */
const char *metrics_inst_name(struct metrics *m, pmInDom indom, int inst);

/*
 * show - the commands about recorders (docs/spec/logger.md C3).
 */

/* Lists the recorders of a host; NULL: of the connected one, or of the default host. */
void show_loggers(const struct session *s, const char *host);

/* Prints the status of the connected recorder. */
void show_status(struct session *s);

/*
 * state - the status word of a metric and instance as text (docs/spec/logger.md B3.1, C3).
 */

enum { STATE_INTERVAL_LEN = 12 };

/* "mand on  nl       1.5 sec ": without the leading blanks and the instance after it. */
void state_print(int word, FILE *f);

/*
 * query - the command that shows how metrics are recorded (docs/spec/logger.md C3).
 */

void query_run(struct session *s, const struct command *c);

/*
 * change - the command that changes what is recorded (docs/spec/logger.md C3).
 */

void change_run(struct session *s, const struct command *c);

#endif
