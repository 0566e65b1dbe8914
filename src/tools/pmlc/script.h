/*
 * script - reads commands from lines of text.
 *
 * A line is requested when the words of the lines before are used up; a list in braces may span
 * many lines. After an error the rest of the line is skipped, or the rest of a list in braces.
 */
#ifndef PMLC_SCRIPT_H
#define PMLC_SCRIPT_H

#include <stdbool.h>

#include "tools/pmlc/command.h"

struct script;

struct script_source {
	/*
	 * The next line without its newline, malloc'd; NULL at the end. more: a list is continued.
	 */
	char *(*line)(void *arg, bool more);
	/* Some commands need a connection; it is checked before the rest of the command is read. */
	bool (*connected)(void *arg);
	/* Reports an error and its line. */
	void (*error)(void *arg, unsigned int line, const char *text);
	void *arg;
};

/* Returns NULL if out of memory. The script keeps the pointer source. */
struct script *script_new(const struct script_source *source);
void script_free(struct script *s);

/*
 * Reads one command. Returns 1 and *c; 0 after a command with an error, which has been reported; -1
 * at the end.
 */
int script_next(struct script *s, struct command *c);

#endif
