/*
 * withlog - what streams with log do otherwise than those without: posix_trace_create_withlog(),
 * posix_trace_flush(), and the log's part of clear, getnext and shutdown.
 */
#ifndef LIBTRACE_WITHLOG_H
#define LIBTRACE_WITHLOG_H

#include "libtrace/stream.h"

/* The next event for a getnext, with the stream's lock: 1, 0, -errno. Moves what is in the stream
 * into the log block under way, and reads it there: nothing is taken away from the log, and what
 * was flushed before it was read is skipped. The data is borrowed. */
int withlog_next(struct stream *stream, struct event *ret);

/* The log is emptied (posix_trace_clear), with the stream's lock: 0, -errno. */
int withlog_clear(struct stream *stream);

/* A stream that has ended and has no trid any more: flushes, completes and closes the log: 0, or
 * -errno of the first failure. Without the lock. */
int withlog_shutdown(struct stream *stream);

#endif
