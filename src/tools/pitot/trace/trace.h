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
 *     stream.h   the stream that records it: options, filter, making and ending; one that writes a
 * log source.h   events out of a stream or a log, with the names and fields of their types; counts,
 * gaps select.h   the choice of events line.h     an event as a line of text or JSON
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

/*
 * Prints "pitot: trace COMMAND: SUBJECT: the error of a <trace.h> function". Returns PITOT_FAILED.
 */
int trace_failed(const char *command, const char *subject, int error);

/* An option, for CMDLINE_SET: a time zone that exists, into a const char *. */
void trace_set_zone(pmOptions *opts, const struct cmdline_row *row, void *target);

/* Prints times in a time zone from here on; NULL: no change. */
void trace_zone(const char *zone);

/*
 * Opens a complete log for reading. Returns 0, or -1 after a message that also suggests what to do.
 */
int trace_open_log(const char *command, const char *path, trace_id_t *ret_trid);

/*
 * trace_remains - lists of the library: the remains of killed tracers, and the processes that can
 * be traced.
 */

/*
 * The number of the argument, or of the newest remains if text is NULL. Returns 0, or -1 after a
 * message.
 */
int trace_remains_find(const char *command, const char *text, uint64_t *ret_id);

/* trace_nothing - messages for an empty result: the reason, and what exists instead. */

/*
 * Before recording: prints a message if a process does not use the library, with a list of those
 * that do.
 */
void trace_nothing_warn(const char *command, pid_t pid);

/*
 * After recording, for a stream that still exists and has no events: prints a message. Returns true
 * if there could be none: no process opened an event type. command: the traced command, or NULL.
 */
bool trace_nothing_recorded(const struct trace_stream *s, const char *command);

/*
 * Prints a message for each word of --name that matches no event type of a stream or log. Returns
 * true if none of them does: then nothing could be selected.
 */
bool trace_nothing_selected(const char *command, trace_id_t trid,
			    const struct trace_select *select);

/*
 * trace_live - events as they arrive, from a stream without log: the display of `follow` and `run`.
 *
 * When the process has ended, the unread events are printed, then the counts. Events that arrive
 * too fast are lost, and their number is reported.
 */

enum { TRACE_LIVE_SIZE = 1 << 20 }; /* bytes of memory */

struct trace_live {
	struct trace_stream stream;
	struct trace_select select;
	struct trace_source source;
	struct trace_line line;
	bool json, date;
	FILE *out;
};

/*
 * Makes the stream of the target, called name, with its filter, and starts it. Returns 0, or -1
 * after a message.
 */
int trace_live_start(struct trace_live *l, const struct trace_target *t, const char *name);

/*
 * Prints events until the target has ended and all are read, or until a signal to stop, which the
 * target receives, too. Returns 0 or an error number; if lines could not be written: EIO, and
 * ferror(out).
 */
int trace_live_watch(struct trace_live *l, struct trace_target *t);

/* Shuts the stream down, if there is one, and frees it. */
void trace_live_done(struct trace_live *l);

#endif
