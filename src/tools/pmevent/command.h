/*
 * command - the command line of our own forms: events one a line.
 *
 * Without any of our options the program is pmval's (docs/spec/tools.md 4.1), which reads the same
 * table of options; so one usage tells of both.
 */
#ifndef PMEVENT_COMMAND_H
#define PMEVENT_COMMAND_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/common/wordlist.h"
#include "tools/pmevent/filter.h"

#define COMMAND_ALL_SAMPLES (-1)

struct command {
	pmOptions pm;
	char **metrics; /* as they were asked for; none: the default. Borrowed from argv */
	int n_metrics;
	struct wordlist instances; /* -i */
	struct filter filter;
	bool json;   /* -j */
	bool follow; /* -F */
	bool date;   /* -X */
	bool all;    /* -v */
};

/* The rows of all options, pmval's and ours, and their letters. */
pmLongOptions *command_rows(void);
extern const char command_letters[];

/* True if one of our options is there. */
bool command_is_ours(int argc, char **argv);

/*
 * Reads the command line. Returns true when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool command_parse(struct command *c, int argc, char **argv, int *ret_status);

/* Also of a command line that was refused. */
void command_done(struct command *c);

#endif
