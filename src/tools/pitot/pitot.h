/*
 * pitot - the commands of the program, their options, and text for terminals and shells.
 */
#ifndef PITOT_PITOT_H
#define PITOT_PITOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"

/*
 * pitot - the commands of the program, one row each in pitot.c.
 *
 * A command gets its own argv (argv[0] is its name) and returns an exit status.
 */

struct pitot_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

enum pitot_exit {
	PITOT_OK = 0,
	PITOT_FAILED = 1,
	PITOT_USAGE = 2,
	PITOT_NOTHING = 3, /* there is no collector */
};

int up_run(int argc, char **argv);
int status_run(int argc, char **argv);
int doctor_run(int argc, char **argv);
int archives_run(int argc, char **argv);
int trace_run(int argc, char **argv);

/* Prints one line on stderr, "pitot: …". */
void pitot_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * commands - a table of commands: help made from its rows, a row found by name, and the probable
 * meaning of a mistyped name.
 */

struct commands {
	const char *program; /* "pitot", or "pitot trace" */
	const char *about;   /* a sentence */
	const char *options; /* lines that follow the options, or "" */
	const struct pitot_command *rows;
	size_t n;
};

/*
 * Runs the command argv[1], or prints the help. Returns its exit status; PITOT_USAGE after a
 * message.
 */
int commands_run(const struct commands *table, int argc, char **argv);

/*
 * options - the options of a command: rows as those of all tools, with a parser of its own, whose
 * messages are one line.
 *
 * Every command has --help, without a row. The kinds of a row are those of a value: a flag, a text,
 * a number up to max, or a function that counts an error after its message.
 */

struct options {
	const char *command;            /* "up" */
	const char *purpose;            /* a sentence for the usage */
	const struct cmdline_row *rows; /* the last one is { PMAPI_OPTIONS_END } */
	/* The operands after the options, for the usage: argv from optind on. NULL: none. */
	const char *operands;
	bool runs; /* the operands are a command with options of its own */
};

/*
 * Reads the command line of a command (argv[0] is its name) into its struct, whose first member is
 * a pmOptions. Returns -1 to go on, or the exit status, after the usage or a message.
 */
int options_parse(const struct options *o, int argc, char **argv, void *arg);

/* Parses a number from min to max. Returns 0, or -1 after a message that names the option. */
int options_number(const char *name, const char *text, double min, double max, double *ret_value);
int options_integer(const char *name, const char *text, long max, long *ret_value);

/* word - text that a terminal or a shell cannot misinterpret. */

/* A word quoted for a shell, if necessary. text holds 4 times the length of the word and 3. */
const char *word_quote(const char *word, char *text, size_t size);

/*
 * Replaces control characters, which may come from an untrusted source, by question marks, in
 * place.
 */
void word_clean(char *text);

/* nearest - the word of a list that the user probably meant. */

/*
 * Of n words, the one with the fewest typing errors, if at most a third of the word is wrong, or
 * one that begins with the given word; NULL if there is none.
 */
const char *nearest(const char *word, const char *const words[], size_t n);

/* paint - colours and the width of the terminal; neither if the output is not a terminal. */

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };

struct paint {
	bool colours;
	int width; /* columns; a large number if the output is not a terminal */
};

/*
 * Initialises for standard output: with colours on a terminal, unless NO_COLOR is set or TERM is
 * "dumb".
 */
void paint_init(struct paint *p);

/* Prints text in a colour. */
void paint(const struct paint *p, enum colour colour, const char *text);

/*
 * Moves to the beginning of the screen, which is printed again and again. Does nothing unless the
 * output is a terminal.
 */
void paint_home(const struct paint *p);

#endif
