/*
 * script - commands out of lines of text.
 *
 * Lines are asked for one at a time, when the words before are used up: a list in braces may span
 * many. After an error the rest of the line is left out; of a list in braces, the rest of it.
 */
#ifndef PMLC_SCRIPT_H
#define PMLC_SCRIPT_H

#include <stdbool.h>

#include "tools/pmlc/command.h"

struct script;

struct script_source {
	/* The next line without its newline, malloc'd; NULL at the end. more: of a list. */
	char *(*line)(void *arg, bool more);
	/* A connection is needed for some commands, and looked for before the rest of them. */
	bool (*connected)(void *arg);
	/* What is wrong, and in which line. */
	void (*error)(void *arg, unsigned int line, const char *text);
	void *arg;
};

/* NULL: out of memory. source is kept. */
struct script *script_new(const struct script_source *source);
void script_free(struct script *s);

/* Reads one command. 1 and *c; 0 after one that was wrong, which has been told; -1 at the end. */
int script_next(struct script *s, struct command *c);

#endif
