/*
 * source - the source of metrics of a tool: a host, an archive, or agents in this process.
 */
#ifndef TOOLS_COMMON_SOURCE_H
#define TOOLS_COMMON_SOURCE_H

#include <stdbool.h>
#include <time.h>

struct pmOptions;

/* The host that is meant where none is named: the Unix socket, then the loopback. */
#define SOURCE_DEFAULT_HOST "local:"

/*
 * Opens a context of the type (PM_CONTEXT_*) on a source and makes it current. Returns its handle,
 * or the error after reporting it on standard error; local_text is the tool's word for a failed
 * local context, "Cannot <local_text>: <error>".
 */
int source_open(int type, const char *name, const char *local_text);

/* Reports on standard error that an archive cannot be opened, and how an archive is named if the file is not one. */
void source_archive_failed(const char *name, int sts);

/*
 * Opens what parsed options name, or the default host where they name nothing. An archive also
 * gets its time window and time zone. Returns as source_open.
 */
int source_open_options(struct pmOptions *opts, const char *local_text);

/*
 * True if a time window has nothing of an archive that lasts from begin to end; that is reported on standard
 * error, for the output looks as if there were no values.
 */
bool source_window_misses(struct timespec start, struct timespec finish, struct timespec begin,
			  struct timespec end);

#endif
