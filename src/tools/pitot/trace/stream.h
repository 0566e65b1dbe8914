/*
 * stream - the stream that records a process, and one that writes a log.
 */
#ifndef PITOT_TRACE_STREAM_H
#define PITOT_TRACE_STREAM_H

#include <stdbool.h>
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

enum {
	TRACE_STREAM_PID = OPTIONS_NO_LETTER,
	TRACE_STREAM_SIZE,
	TRACE_STREAM_DATA,
	TRACE_STREAM_POLICY,
	TRACE_STREAM_CHILDREN,
	TRACE_STREAM_FILTER,
	TRACE_STREAM_ONLY,
	TRACE_STREAM_STRICT,
	TRACE_STREAM_LETTERS, /* the command begins here in argv */
};

/* clang-format off */
#define TRACE_STREAM_ROWS                                                                          \
	{ "pid",      1, 'p', "PID",  "trace this process instead of a command" },                 \
	{ "children", 0, TRACE_STREAM_CHILDREN, NULL, "trace what it forks and spawns, too" },     \
	{ "filter",   1, TRACE_STREAM_FILTER, "NAMES", "do not record these event types" },     \
	{ "only",     1, TRACE_STREAM_ONLY, "NAMES", "record these event types and no other" }, \
	{ "size",     1, TRACE_STREAM_SIZE, "N", "room for events in memory, with k, M or G" },    \
	{ "data",     1, TRACE_STREAM_DATA, "N", "the most that is kept of an event's data" },     \
	{ "strict",   0, TRACE_STREAM_STRICT, NULL, "order events by plain atomic loads, too" }
/* clang-format on */

/*
 * Handles one of the rows above, or --policy. Returns 0, or -1 after a message; 1: not one of them.
 */
int trace_stream_take(struct trace_stream *s, int letter, const char *value);

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
