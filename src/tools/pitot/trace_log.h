/*
 * trace_log - a stream that writes a log while a process runs: the recording of `record` and `run`.
 *
 *     open the file -> make the stream, started -> ... -> finish: shut down, count, report
 *
 * The library writes the log and completes it, also when this program is killed.
 */
#ifndef PITOT_TRACE_LOG_H
#define PITOT_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace_stream.h"

enum { TRACE_LOG_SIZE = 4 << 20 }; /* in memory, some 80,000 events: the disk may pause for milliseconds */

struct trace_log {
	const char *command; /* "record", for messages */
	const char *file;
	uint64_t size; /* the most that the log may hold; 0: no bound */
	int policy;    /* when it is full */
	bool verbose;  /* report the counts in any case */
	bool unstarted; /* the command could not be run: an empty log is expected */
	bool nothing;	/* that could be recorded: see trace_nothing.h */
	const char *name; /* of the stream */
	bool made;     /* the file is ours to remove when nothing comes of it */
	int fd;
};

/* Makes the file, or takes one that is there. 0, or -1 after a message. */
int trace_log_open(struct trace_log *l);

/* Makes the stream of the process, called name, with its filter, and starts it; on failure the file is
 * removed if it was made. 0, or -1 after a message. */
int trace_log_start(struct trace_log *l, struct trace_stream *s, pid_t pid, const char *name);

/* Ends the stream, and reports losses, or that nothing was recorded. 0, or the error of writing the
 * log, after a message. */
int trace_log_finish(struct trace_log *l, const struct trace_stream *s);

void trace_log_done(struct trace_log *l);

#endif
