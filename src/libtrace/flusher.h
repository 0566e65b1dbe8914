/*
 * flusher - the controller's thread that moves events of a stream with policy FLUSH into its log before
 * the stream is full (docs/spec/posix-trace.md 9.3). One per stream; all signals blocked.
 *
 * Writers never wake it. It looks every millisecond if the stream has changed in the last second, else
 * every ten. So half a stream is on its way to the log within 20 ms, and an idle stream costs a
 * hundred looks per second.
 */
#ifndef LIBTRACE_FLUSHER_H
#define LIBTRACE_FLUSHER_H

#include "libtrace/run.h"
#include "libtrace/stream.h"

/* Starts it if the stream needs one (policy FLUSH): 0, -ENOMEM. */
int flusher_start(struct stream *stream);

/* Ends the thread and waits for its end; does nothing if there is none. The caller must not hold
 * the stream's lock. */
void flusher_stop(struct stream *stream);

/* Flushes as the interface defines it, with the stream's lock: between FLUSH_START and FLUSH_STOP
 * all events recorded so far go into the log and its file. caller: of an explicit flush; NULL: an
 * automatic flush, which keeps a partial block in memory. Returns 0 or -errno. */
int flusher_flush(struct stream *stream, const struct run_caller *caller);

#endif
