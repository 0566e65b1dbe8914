/*
 * trace_nothing - what to say where nothing was recorded, or nothing is of the kind that was asked for:
 * which it was, and what there is instead.
 */
#ifndef PITOT_TRACE_NOTHING_H
#define PITOT_TRACE_NOTHING_H

#include <stdbool.h>
#include <trace_np.h>

#include "trace_stream.h"

struct trace_select;

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

#endif
