/*
 * withlog - streams with a log, as far as they differ from those without: posix_trace_create_withlog(),
 * posix_trace_flush(), and the log's part of clear, getnext and shutdown.
 */
#ifndef LIBTRACE_WITHLOG_H
#define LIBTRACE_WITHLOG_H

#include "libtrace/stream.h"

/* The next event for a getnext call, with the stream's lock: 1, 0, -errno. Moves the events of
 * the stream into the log's current block and reads them there. Nothing is removed from the log,
 * and events that were flushed before they were read are skipped. The data is borrowed. */
int stream_log_next(struct stream *stream, struct event *ret);

/* Empties the log (posix_trace_clear), with the stream's lock: 0, -errno. */
int stream_log_clear(struct stream *stream);

/* For a stream that has ended and has no trid any more: flushes, completes and closes the log.
 * Returns 0, or -errno of the first failure. Without the lock. */
int stream_log_shutdown(struct stream *stream);

#endif
