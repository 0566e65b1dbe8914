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
	PITOT_NOTHING = 3, /* there is no collector to look at */
};

int up_run(int argc, char **argv);
int status_run(int argc, char **argv);
int doctor_run(int argc, char **argv);
int trace_run(int argc, char **argv);

/* One line on stderr, "pitot: …". */
void pitot_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * commands - a table of commands: help from its rows, a row found by name, and what a typing error was meant to be.
 */

struct commands {
	const char *program; /* "pitot", or "pitot trace" */
	const char *about;   /* a sentence */
	const char *options; /* further lines below Options:, or "" */
	const struct pitot_command *rows;
	size_t n;
};

/* Runs the command argv[1], or shows the help: its exit status; PITOT_USAGE after a message. */
int commands_run(const struct commands *table, int argc, char **argv);

/*
 * options - the options of a command: a table in the form of all tools, and its parser.
 *
 * A letter above 255 is for an option that has none. Every command has --help, without a row.
 */

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

/*
 * utf8 - text that should be UTF-8 and may be anything.
 */

/* Length of the UTF-8 sequence at p, of which n bytes are there; 0 where it is none. */
size_t utf8_length(const uint8_t *p, size_t n);

/* Writes n bytes of text; bytes that are not UTF-8 become U+FFFD, one by one, and so do nulls. */
void utf8_print(FILE *out, const char *text, size_t n);

/*
 * word - text that a terminal or a shell takes for what it is.
 */

/* A word as a shell reads it back, quoted where it must be. text holds 4 times the word and 3. */
const char *word_quote(const char *word, char *text, size_t size);

/* Control characters, which come from who knows where, become question marks, in place. */
void word_clean(char *text);

/*
 * nearest - the word of a list that was most likely meant.
 */

/* Of n words the one that is fewest keystrokes away, if at most a third of the word is wrong, or it
 * begins with all of it; NULL if none. */
const char *nearest(const char *word, const char *const words[], size_t n);

/*
 * paint - colours and the width of the terminal; neither where the output is none.
 */

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };

struct paint {
	bool colours;
	int width; /* columns; a large number where there is no end of line */
};

/* For standard output: a terminal, unless NO_COLOR is set or TERM says "dumb". */
void paint_init(struct paint *p);

/* Prints text in a colour. */
void paint(const struct paint *p, enum colour colour, const char *text);

/* A whole screen is shown again and again: to its beginning. Nothing unless it is a terminal. */
void paint_home(const struct paint *p);

#endif
