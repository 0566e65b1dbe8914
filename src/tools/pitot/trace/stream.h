/*
 * stream - the stream that records a process, and one that writes a log.
 */
#ifndef PITOT_TRACE_STREAM_H
#define PITOT_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <trace_np.h>

#include "tools/common/names.h"
#include "tools/pitot/pitot.h"

/*
 * trace_stream - recording: the options that `record` and `follow` share, and the stream that is
 * made from them.
 */

struct trace_stream {
	const char *command;      /* "record", for messages */
	const char *pid;          /* --pid, or NULL */
	uint64_t size, data_size; /* 0: the library's default */
	int policy;               /* 0: the library's default */
	bool children, strict;
	struct wordlist filter, only;
	trace_id_t trid;
};

/* Rows of the command whose struct has the stream at this place: offsetof(struct command, stream).
 */
/* clang-format off */
#define TRACE_STREAM_AT(at, member) ((at) + offsetof(struct trace_stream, member))
#define TRACE_STREAM_PROGRAM_ROWS(at) \
	{ { "children", 0, 0, NULL, "trace what it forks and spawns, too" }, CMDLINE_FLAG, TRACE_STREAM_AT(at, children) }, \
	{ { "filter",   1, 0, "NAMES", "do not record these event types" }, CMDLINE_WORDS, TRACE_STREAM_AT(at, filter) }, \
	{ { "only",     1, 0, "NAMES", "record these event types and no other" }, CMDLINE_WORDS, TRACE_STREAM_AT(at, only) }, \
	{ { "size",     1, 0, "N", "room for events in memory, with k, M or G" }, CMDLINE_SET, TRACE_STREAM_AT(at, size), .set = trace_set_size }, \
	{ { "data",     1, 0, "N", "the most that is kept of an event's data" }, CMDLINE_SET, TRACE_STREAM_AT(at, data_size), .set = trace_set_size }
#define TRACE_STREAM_ROWS(at) \
	{ { "pid",      1, 'p', "PID",  "trace this process instead of a command" }, CMDLINE_SET, TRACE_STREAM_AT(at, pid), .set = trace_set_pid }, \
	TRACE_STREAM_PROGRAM_ROWS(at), \
	{ { "strict",   0, 0, NULL, "order events by plain atomic loads, too" }, CMDLINE_FLAG, TRACE_STREAM_AT(at, strict) }
/* clang-format on */

/*
 * Options, for CMDLINE_SET: a process id that is a number, into a const char *; a size with an
 * optional k, M or G (of 1024), into a uint64_t; a policy other than the row's `bits`, into an int,
 * with the row's complaint about another word.
 */
void trace_set_pid(pmOptions *opts, const struct cmdline_row *row, void *target);
void trace_set_size(pmOptions *opts, const struct cmdline_row *row, void *target);
void trace_set_policy(pmOptions *opts, const struct cmdline_row *row, void *target);

/*
 * Makes attributes for posix_trace_create(), with the name of the traced program. Returns 0, or -1
 * after a message.
 */
int trace_stream_attr(const struct trace_stream *s, const char *name, trace_attr_t *ret_attr);

/* The policy of "loop", "until-full", "flush", "append"; 0 for another word. */
int trace_policy(const char *word);
const char *trace_policy_name(int policy);

/* Prints a message for the error of creating a stream for a process. */
void trace_stream_complain(const struct trace_stream *s, pid_t pid, int error);

/* Sets the filter of trid. Returns 0, or -1 after a message. */
int trace_stream_filter(const struct trace_stream *s);

void trace_stream_done(struct trace_stream *s);

/*
 * trace_log - a stream that writes a log while a process runs, for `record` and `run`.
 *
 *     open the file -> make the stream, started -> ... -> finish: shut down, count, report
 *
 * The library writes the log and completes it, even if this program is killed.
 */

enum {
	TRACE_LOG_SIZE = 4 << 20
}; /* bytes, some 80,000 events: the disk may pause for milliseconds */

struct trace_log {
	const char *command; /* "record", for messages */
	const char *file;
	uint64_t size;    /* the largest size of the log; 0: unlimited */
	int policy;       /* the policy when it is full */
	bool verbose;     /* always report the counts */
	bool unstarted;   /* the command could not be run: an empty log is expected */
	bool nothing;     /* nothing could be recorded (trace_nothing) */
	const char *name; /* name of the stream */
	bool made;        /* this program made the file, and removes it if nothing is recorded */
	int fd;
};

/* Makes the file, or uses an existing one. Returns 0, or -1 after a message. */
int trace_log_open(struct trace_log *l);

/*
 * Makes the stream of the process, called name, with its filter, and starts it. Returns 0, or -1
 * after a message; then the file is removed if it was made.
 */
int trace_log_start(struct trace_log *l, struct trace_stream *s, pid_t pid, const char *name);

/*
 * Ends the stream, and reports losses, or that nothing was recorded. Returns 0, or the error of
 * writing the log, after a message.
 */
int trace_log_finish(struct trace_log *l, const struct trace_stream *s);

void trace_log_done(struct trace_log *l);

#endif
