/*
 * command - the command line of our own output form: one event a line.
 *
 * Without any of our options the program is pmval (docs/spec/tools.md 4.1), which reads the same
 * table of options; so there is one usage text for both.
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
	char **metrics; /* in the order of the command line; none: the default. Borrowed from argv */
	int n_metrics;
	struct wordlist instances; /* -i */
	struct filter filter;
	bool json;   /* -j */
	bool follow; /* -F */
	bool date;   /* -X */
	bool all;    /* -v */
};

/* All options, those of pmval and ours, as rows and as letters. */
pmLongOptions *command_rows(void);
extern const char command_letters[];

/* True if the command line has one of our options. */
bool command_is_ours(int argc, char **argv);

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool command_parse(struct command *c, int argc, char **argv, int *ret_status);

/* Also called for a command line that was refused. */
void command_done(struct command *c);

#endif
