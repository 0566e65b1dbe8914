/*
 * trace - the commands below `pitot trace`, and helpers that several of them use.
 */
#ifndef PITOT_TRACE_TRACE_H
#define PITOT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <trace_np.h>

#include "tools/pitot/trace/line.h"
#include "tools/pitot/trace/select.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/stream.h"

struct trace_target;

/*
 * trace_commands - the commands below `pitot trace`, one row each in commands.c.
 *
 *     target.h   the traced process, its end, and the signals that stop the command
 *     stream.h   the stream that records it: options, filter, making and ending; one that writes a log
 *     source.h   events out of a stream or a log, with the names and fields of their types; counts, gaps
 *     select.h   the choice of events
 *     line.h     an event as a line of text or JSON
 *
 * All of them use only <trace.h> and <trace_np.h>.
 */

int trace_record_run(int argc, char **argv);
int trace_run_run(int argc, char **argv);
int trace_follow_run(int argc, char **argv);
int trace_list_run(int argc, char **argv);
int trace_status_run(int argc, char **argv);
int trace_dump_run(int argc, char **argv);
int trace_export_run(int argc, char **argv);
int trace_recover_run(int argc, char **argv);

/* A message "pitot: trace COMMAND: SUBJECT: the error of a <trace.h> function". PITOT_FAILED. */
int trace_failed(const char *command, const char *subject, int error);

/* A size with an optional k, M or G (of 1024). 0, or -1 after a message that names the option. */
int trace_size(const char *option, const char *text, uint64_t *ret_size);

/* Takes a time zone from the command line. 0, or -1 after a message: there is none of that name. */
int trace_take_zone(const char *value, const char **ret_zone);

/* Shows times in a time zone from here on; NULL: leaves it. */
void trace_zone(const char *zone);

/* Opens a complete log for reading. 0, or -1 after a message that also says what would help. */
int trace_open_log(const char *command, const char *path, trace_id_t *ret_trid);

/*
 * trace_remains - lists that the library fills in: what killed tracers left, what can be traced.
 */

/* Those that may be traced, by pid; to be freed. 0, or an error number; complains about users in
 * whose directory not all could be looked at. */
int trace_processes_get(struct posix_trace_process_np **ret_list, size_t *ret_n);

/* The number that was given, or of the newest where text is NULL. 0, or -1 after a message. */
int trace_remains_find(const char *command, const char *text, uint64_t *ret_id);

/*
 * trace_nothing - what to say where nothing was recorded, or nothing is of the kind that was asked for:
 * which it was, and what there is instead.
 */

/* Before recording: a message where a process does not use the library, with those that do. */
void trace_nothing_warn(const char *command, pid_t pid);

/*
 * After recording, for a stream that still exists and has not a single event: a message. True if
 * none could come: no process opened an event type. command: the one that was run, where that was
 * traced.
 */
bool trace_nothing_recorded(const struct trace_stream *s, const char *command);

/* A message for each word of --name that matches no event type of a stream or log. Whether none of
 * them does: nothing could be selected. */
bool trace_nothing_selected(const char *command, trace_id_t trid, const struct trace_select *select);

/*
 * trace_live - events as they come, from a stream without log: the display of `follow` and `run`.
 *
 * When the process has ended the unread events are shown; then the counts. Events that come too
 * fast to be read are lost, and their number is reported.
 */

enum { TRACE_LIVE_SIZE = 1 << 20 }; /* in memory */

struct trace_live {
	struct trace_stream stream;
	struct trace_select select;
	struct trace_source source;
	struct trace_line line;
	bool json, date;
	FILE *out;
};

/* Makes the stream of the target, called name, with its filter, and starts it. 0, or -1 after a
 * message. */
int trace_live_start(struct trace_live *l, const struct trace_target *t, const char *name);

/* Shows events until the target has ended and all is read, or a signal stops us: then the target
 * gets it, too. 0 or an error number; lines that could not be written: EIO, and ferror(out). */
int trace_live_watch(struct trace_live *l, struct trace_target *t);

/* Shuts the stream down, if there is one, and frees. */
void trace_live_done(struct trace_live *l);

#endif
