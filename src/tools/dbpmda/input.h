/*
 * input - lines of commands, from a terminal with editing and history, or from a stream.
 */
#ifndef DBPMDA_INPUT_H
#define DBPMDA_INPUT_H

#include <stdbool.h>
#include <stdio.h>

struct input {
	FILE *file;
	const char *prompt; /* printed before each line if the input has a prompt */
	bool prompts, echoes;
	bool edits; /* file is a terminal, read by the line editor */
	unsigned int line;
};

/*
 * The next line without its newline, malloc'd; NULL at the end (prints a newline then if standard
 * input has a prompt).
 */
char *input_next(struct input *in);

/* The number of blanks that an error message prints to point at column 0 of the line. */
int input_indent(const struct input *in);

#endif
