/*
 * cmdline - what the command lines of several tools share.
 */
#ifndef TOOLS_COMMON_CMDLINE_H
#define TOOLS_COMMON_CMDLINE_H

#include <stdbool.h>

struct pmOptions;

/*
 * True if the whole command line is `--version`: the version is printed, and the program ends with 0.
 * For tools whose long option "version" takes an argument (the version of a format) or is missing, as in
 * PCP. Sets the program's name.
 */
bool cmdline_is_version(int argc, char **argv);

/* Metrics asked for at a time where the options don't say (-b). */
#define CMDLINE_BATCH 128

/* Says a complaint about the command line, "<tool>: <text>", and counts it as an error. */
void cmdline_complain(struct pmOptions *opts, const char *text);

/*
 * The argument of -b: how many metrics are asked for at a time, at least 1 (a batch of none is a
 * batch of one). Anything but a number that is not negative is an error, said and counted; *ret_n
 * is left alone then.
 */
void cmdline_batch(struct pmOptions *opts, int *ret_n);

/*
 * After the last option: true when the program is to go on. Otherwise the usage is printed, and
 * *ret_status is the exit status: 1 for errors and for -?, 0 after --version.
 */
bool cmdline_accept(struct pmOptions *opts, int *ret_status);

#endif
