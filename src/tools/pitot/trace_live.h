/*
 * trace_live - events as they come, from a stream without log: the display of `follow` and `run`.
 *
 * When the process has ended the unread events are shown; then the counts. Events that come too
 * fast to be read are lost, and their number is reported.
 */
#ifndef PITOT_TRACE_LIVE_H
#define PITOT_TRACE_LIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace_line.h"
#include "trace_select.h"
#include "trace_source.h"
#include "trace_stream.h"

struct trace_target;

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

/* Tells what was read and lost: on a terminal, and where anything was lost; and where there was
 * nothing. Whether nothing could come: see trace_nothing.h. command: what was run, if anything. */
bool trace_live_summarise(const struct trace_live *l, const char *command);

/* Shuts the stream down, if there is one, and frees. */
void trace_live_done(struct trace_live *l);

#endif
