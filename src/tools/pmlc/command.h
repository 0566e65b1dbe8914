/*
 * command - one parsed command of the language (docs/spec/logger.md C2).
 */
#ifndef PMLC_COMMAND_H
#define PMLC_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/arena.h"

enum verb {
	VERB_NONE, /* an empty line */
	VERB_CONNECT,
	VERB_DISCONNECT,
	VERB_HELP,
	VERB_LOG,
	VERB_NEW_VOLUME,
	VERB_QA,
	VERB_QUERY,
	VERB_QUIT,
	VERB_SHOW,
	VERB_SLEEP,
	VERB_STATUS,
	VERB_SYNC,
	VERB_TIMEZONE,
};

/* Which recorder the command is for. */
enum target { TARGET_PRIMARY, TARGET_PID, TARGET_PORT, TARGET_SOCKET };

enum zone { ZONE_LOCAL, ZONE_LOGGER, ZONE_GIVEN };

struct inst_spec {
	struct inst_spec *next;
	const char *name; /* NULL: by number */
	int number;
};

struct metric_spec {
	struct metric_spec *next;
	const char *name;
	unsigned int line; /* the line where it was read, for messages */
	struct inst_spec *insts; /* NULL: all */
};

struct command {
	struct arena mem; /* memory of all texts and lists */
	enum verb verb;
	enum target target;
	enum zone zone;
	const char *text;  /* a host, NULL for none; a time zone */
	uint32_t number;   /* process id, port, milliseconds, test case */
	int control;       /* PM_LOG_MANDATORY, … */
	int state;         /* PM_LOG_ON, … */
	uint64_t delta_ms; /* may be larger than a request can hold */
	struct metric_spec *metrics;
};

/* Empties the command; the memory is kept for the next one. */
void command_reset(struct command *c);
void command_done(struct command *c);

#endif
