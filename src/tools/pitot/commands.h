/* commands - a table of commands: help from its rows, a row found by name, and what a typing error was meant to be. */
#ifndef PITOT_COMMANDS_H
#define PITOT_COMMANDS_H

#include <stddef.h>
#include <stdio.h>

#include "pitot.h"

struct commands {
	const char *program; /* "pitot", or "pitot trace" */
	const char *about;   /* a sentence */
	const char *options; /* further lines below Options:, or "" */
	const struct pitot_command *rows;
	size_t n;
};

/* Runs the command argv[1], or shows the help: its exit status; PITOT_USAGE after a message. */
int commands_run(const struct commands *table, int argc, char **argv);

#endif
