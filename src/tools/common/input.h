/*
 * input - lines of commands, from a terminal with editing, history and completion, or from a
 * stream.
 *
 * The Tab key completes words of the tool's language and names of metrics of the current context.
 */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include <stdbool.h>
#include <stdio.h>

struct input {
	FILE *file;
	const char *prompt;
	bool prompts;             /* print the prompt before each line */
	bool echoes;              /* print each line of a stream */
	bool edits;               /* file is a terminal, which the line editor reads */
	const char *const *words; /* the words of the language; the last one is NULL */
	bool verbs;               /* the words are verbs: a line begins with one, without metrics */
	unsigned int line;        /* number of the last line */
};

/*
 * The next line without its newline, malloc'd; NULL at the end, after a newline if standard input
 * has a prompt.
 */
char *input_next(struct input *in);

#endif
