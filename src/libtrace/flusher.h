/*
 * flusher - the thread of the controller that moves events of a stream with policy FLUSH into its
 * log before the stream is full (docs/spec/posix-trace.md 9.3). One a stream, all signals blocked.
 *
 * It is never woken by who records: it looks every millisecond while there was something new in the
 * last second, else every ten. Half a stream is on its way to the log within 20 ms so, and an idle
 * stream costs a hundred looks a second.
 */
#ifndef LIBTRACE_FLUSHER_H
#define LIBTRACE_FLUSHER_H

#include "libtrace/run.h"
#include "libtrace/stream.h"

/* Starts it for a stream that needs one (policy FLUSH): 0, -ENOMEM. */
int flusher_start(struct stream *stream);

/* Ends it, and waits until it is gone; fine where there is none. Not with the stream's lock. */
void flusher_stop(struct stream *stream);

/* A flush as the interface knows it, with the stream's lock: between FLUSH_START and FLUSH_STOP
 * everything recorded so far goes into the log, and into its file. caller: of an explicit flush;
 * NULL: it is automatic, and what does not fill a block stays in memory. 0, -errno. */
int flusher_flush(struct stream *stream, const struct run_caller *caller);

#endif
