/* options - the standard options in a pmOptions of either version: docs/spec/pmapi.md 19. */
#ifndef LIBPCP_OPTIONS_H
#define LIBPCP_OPTIONS_H

#include <pcp/pmapi.h>

/* In pmOptions.flags, beside PM_OPTFLAG_*: -? or --help was given. PCP uses the low bits only. */
#define OPTIONS_HELP_ASKED (1 << 30)

/* Times of a pmOptions, as its version has them. */
enum options_time { OPTIONS_START, OPTIONS_FINISH, OPTIONS_ORIGIN, OPTIONS_INTERVAL };

void options_set_time(pmOptions *opts, enum options_time which, const struct timespec *ts);

/* A mistake in how the program was called, or a failure of what was asked for: said with the
 * program's name before it, and counted. */
void options_usage_error(pmOptions *opts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void options_runtime_error(pmOptions *opts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Hosts from a file, one a line (-H). */
void options_add_hosts_file(pmOptions *opts, const char *path);

/* The options -L and -K. */
void options_local(pmOptions *opts, char *arg);
void options_local_table(pmOptions *opts, char *spec);

/* Applies the long option at opts->index: 0; 1 if it is not a standard option, or asks for help. */
int options_long(pmOptions *opts);

#endif
