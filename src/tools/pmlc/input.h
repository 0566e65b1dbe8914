/*
 * input - lines of commands, from a terminal with editing and history, or from a stream.
 */
#ifndef PMLC_INPUT_H
#define PMLC_INPUT_H

#include <stdbool.h>

struct input {
	bool prompts, echoes;
	bool edits; /* standard input is a terminal, read by the line editor */
};

/* The next line without its newline, malloc'd; NULL at the end. more: a list is continued. */
char *input_next(const struct input *in, bool more);

#endif
