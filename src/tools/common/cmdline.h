/*
 * cmdline - a program's options, the source that they name, its findings, and the end of its
 * output.
 */
#ifndef COMMON_CMDLINE_H
#define COMMON_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <pcp/pmapi.h>

/* cmdline - reading a command line. */

/*
 * True if the whole command line is `--version`: then the version has been printed, and the program
 * ends with 0. For tools whose long option "version" has an argument (the version of a format) or
 * does not exist, as in PCP. Sets the program's name.
 */
bool cmdline_is_version(int argc, char **argv);

/* The default for -b, the number of metrics that are requested at a time. */
#define CMDLINE_BATCH 128

/* Prints a complaint about the command line, "<tool>: <text>", and counts it as an error. */
void cmdline_complain(struct pmOptions *opts, const char *text);

/*
 * Options as rows: the letters, the long options and the usage text of a tool come from them.
 *
 * A row has the form of the library's rows, and the place in the tool's struct that the option
 * sets. The first member of that struct is the pmOptions. The last row is { PMAPI_OPTIONS_END }.
 */
enum cmdline_kind {
	CMDLINE_LIBRARY,  /* read by the library; headings and lines of text, too */
	CMDLINE_IGNORED,  /* accepted, without effect */
	CMDLINE_REFUSED,  /* an error: the usage is printed */
	CMDLINE_FLAG,     /* bool: becomes true */
	CMDLINE_OFF,      /* bool: becomes false */
	CMDLINE_COUNT,    /* int: how often the option is given */
	CMDLINE_BITS,     /* unsigned int: the bits are set */
	CMDLINE_TEXT,     /* const char *: the argument */
	CMDLINE_WORDS,    /* struct wordlist: gets the words of the argument */
	CMDLINE_INT,      /* int: a number from min to max; otherwise the complaint is an error */
	CMDLINE_LONG,     /* long: the same */
	CMDLINE_BATCH_N,  /* int: the number of metrics that are requested at a time, at least 1 */
	CMDLINE_STRICT,   /* finding_be_strict() */
	CMDLINE_START,    /* -S, passed to the library after the last option (see below) */
	CMDLINE_HOSTZONE, /* -z, the same; with -Z the complaint is an error */
	CMDLINE_CALL,     /* call(options), with the argument in optarg */
	CMDLINE_SET,      /* set(pmOptions, row, target): a value of a type of the tool's own */
};

enum cmdline_form { CMDLINE_ANY_FORM, CMDLINE_LETTER_ONLY, CMDLINE_LONG_ONLY };

struct cmdline_row {
	pmLongOptions option;
	enum cmdline_kind kind;
	size_t target; /* offset in the tool's struct */
	unsigned int bits;
	long min, max;
	const char *complaint;
	void (*call)(void *options);
	enum cmdline_form form; /* LETTER_ONLY: not in the usage */
	void (*set)(pmOptions *opts, const struct cmdline_row *row, void *target);
};

/*
 * Reads the command line into a tool's struct. The caller has set the other fields of its
 * pmOptions; letters and long options are static. An option without a row is an error.
 *
 * The library accepts -S and -z only with an archive that it knows. The archive of an archive tool
 * is an argument, so these two are passed on after the last option.
 */
void cmdline_parse(void *options, const struct cmdline_row *rows, int argc, char **argv);

/* Sets what a row names in the tool's struct. The argument is in the optarg of its pmOptions. */
void cmdline_take(void *options, const struct cmdline_row *row);

/*
 * Reads the next option with getopt(3), for tools whose messages about options are getopt's in PCP.
 * Returns its letter, '?' after an error, or EOF; then optind is the index of the first argument.
 * order: "+" if the options end at the first argument, or "".
 */
int cmdline_next_letter(void *options, const struct cmdline_row *rows, int argc, char **argv,
			const char *order);

/* True if a command line, which does not change, has an option with one of the letters. */
bool cmdline_has(const struct cmdline_row *rows, int argc, char **argv, const char *letters);

/*
 * Called after the last option. Returns true if the program is to go on. Otherwise prints the
 * usage, and *ret_status is the exit status: 1 for errors and for -?, 0 after --version.
 */
bool cmdline_accept(struct pmOptions *opts, int *ret_status);

/*
 * source - the source of metrics of a tool: a host, an archive, or agents in this process.
 */

/* The default host: the Unix socket, then the loopback address. */
#define SOURCE_DEFAULT_HOST "local:"

/*
 * Opens a context of the type (PM_CONTEXT_*) on a source and makes it current. Returns its handle,
 * or the error after reporting it on standard error. local_text is the tool's text for a failed
 * local context, "Cannot <local_text>: <error>".
 */
int source_open(int type, const char *name, const char *local_text);

/*
 * Reports on standard error that an archive cannot be opened; if the name is that of another file,
 * also how archives are named.
 */
void source_archive_failed(const char *name, int sts);

/*
 * Opens the source that the parsed options name, or the default host. An archive also gets its time
 * window and time zone. Returns as source_open does.
 */
int source_open_options(struct pmOptions *opts, const char *local_text);

/*
 * True if a time window contains nothing of an archive that lasts from begin to end. This is
 * reported on standard error, because the output looks as if there were no values.
 */
bool source_window_misses(struct timespec start, struct timespec finish, struct timespec begin,
			  struct timespec end);

/*
 * finding - messages that report a fault, a partial result or a refused command.
 *
 * Tools end with 0 after most of them, as in PCP. With --strict a tool ends with 1, so that scripts
 * need not read its messages.
 */

/* The long option. Its value is not a letter. */
enum { FINDING_STRICT = 6 };
/* clang-format off */
#define FINDING_STRICT_ROWS \
	{ { "strict", 0, FINDING_STRICT, NULL, NULL }, CMDLINE_STRICT }, \
	{ { "", 0, '|', NULL, "  --strict              exit with status 1 for findings, partial results and refused commands" } }
/* clang-format on */

/* Makes findings count for the exit status. */
void finding_be_strict(void);

/* Counts a finding and returns standard error for its message. */
FILE *finding(void);

/* Returns 1 in place of 0 if there was a finding and findings count. */
int finding_status(int status);

/*
 * output - standard output, which may be a full disk, closed, or a pipe whose reader has ended.
 *
 * In a program that links this, descriptors 0 to 2 are open from the start, even if its parent
 * closed them.
 */

/* Flushes standard output. Returns false after a failed write: further output is useless. */
bool output_flush(void);

/*
 * Flushes standard output at the end. Returns status, or 1 after a failed write, which is reported
 * on standard error, except for a pipe whose reader has ended.
 */
int output_finish(int status);

#endif
