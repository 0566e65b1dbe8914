/*
 * options - the options of a command: a table in the form of all tools, and its parser.
 *
 * A letter above 255 is for an option that has none. Every command has --help, without a row.
 */
#ifndef PITOT_OPTIONS_H
#define PITOT_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

enum { OPTIONS_NO_LETTER = 256 };

struct options {
	const char *command;       /* "up" */
	const char *purpose;       /* a sentence for the usage */
	const pmLongOptions *rows; /* a row without name ends them */
	/* The operands after them, for the usage: argv from optind on. NULL: none. */
	const char *operands;
	bool runs; /* the operands are a command with options of its own */
	/* Takes one of them. 0, or -1 after a message. */
	int (*take)(void *arg, int letter, const char *value);
};

/*
 * Reads the command line of a command (argv[0] is its name). -1 to go on, or the exit status to
 * leave with, after the usage or a message.
 */
int options_parse(const struct options *o, int argc, char **argv, void *arg);

/* A number from min to max. 0, or -1 after a message that names the option. */
int options_number(const char *name, const char *text, double min, double max, double *ret_value);
int options_integer(const char *name, const char *text, long max, long *ret_value);

#endif
