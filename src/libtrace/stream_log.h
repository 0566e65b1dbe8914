/*
 * stream_log - the log of a stream: its part of create, getnext, clear and shutdown, and
 * posix_trace_flush(). The flusher is in flusher.c.
 */
#ifndef LIBTRACE_STREAM_LOG_H
#define LIBTRACE_STREAM_LOG_H

#include "libtrace/run.h"
#include "libtrace/stream.h"

/* Opens the log of a new stream and starts its flusher: 0, -errno. Ends the flusher and closes the
 * log; completes nothing; valid in any state. */
int stream_log_open(struct stream *stream, int fd);
void stream_log_close(struct stream *stream);

/* The next event for a getnext call, with the stream's lock: 1, 0, -errno. Moves the events of
 * the stream into the log's current block and reads them there. Nothing is removed from the log,
 * and events that were flushed before they were read are skipped. The data is borrowed. */
int stream_log_next(struct stream *stream, struct event *ret_event);

/* Empties the log (posix_trace_clear), with the stream's lock: 0, -errno. */
int stream_log_clear(struct stream *stream);

/* For a stream that has ended and has no trid any more: flushes, completes and closes the log.
 * Returns 0, or -errno of the first failure. Without the lock. */
int stream_log_shutdown(struct stream *stream);

/*
 * ---- flusher ----
 *
 * The controller's thread that moves events of a stream with policy FLUSH into its log before
 * the stream is full (docs/spec/posix-trace.md 9.3). One per stream; all signals blocked.
 * Writers never wake it. It looks every millisecond if the stream has changed in the last second,
 * else every ten. So half a stream is on its way to the log within 20 ms, and an idle stream costs
 * a hundred looks per second.
 */

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
