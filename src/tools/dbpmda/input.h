/*
 * input - lines of commands, from a terminal with editing and history, or from a stream.
 */
#ifndef DBPMDA_INPUT_H
#define DBPMDA_INPUT_H

#include <stdbool.h>
#include <stdio.h>

struct input {
	FILE *file;
	const char *prompt; /* printed before each line if the input prompts */
	bool prompts, echoes;
	bool edits; /* file is a terminal: the line editor reads it */
	unsigned int line;
};

/*
 * The next line without its newline, malloc'd; NULL at the end (a newline is printed then,
 * where standard input had a prompt).
 */
char *input_next(struct input *in);

/* How messages point at a column: that many blanks stand before it. */
int input_indent(const struct input *in);

#endif
