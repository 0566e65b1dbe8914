/*
 * stream_make - make and destroy streams: the common part of create, create_withlog and shutdown.
 * Controller side.
 */
#ifndef LIBTRACE_STREAM_MAKE_H
#define LIBTRACE_STREAM_MAKE_H

#include <sys/types.h>

#include <trace.h>

#include "libtrace/stream.h"

/*
 * Makes a suspended stream of a kind for a process, by resolved attributes (attr_resolve()); no process
 * records into it yet. 0, -EINVAL, -ESRCH, -EPERM, -EAGAIN, -ENOMEM, in this order
 * (docs/spec/posix-trace.md 10.2). Sets the creation time in the stream's copy of attr.
 */
int stream_make(pid_t pid, const trace_attr_t *attr, enum stream_kind kind, struct stream **ret);

/* Makes the stream known to its target and to the keeper, and gives it a trid: 0, -EAGAIN,
 * -ENOMEM, -ESRCH. On failure the stream is as after stream_make(). */
int stream_publish(struct stream *stream, trace_id_t *ret);

/* Undoes both, for a stream without trid. Its memory is released at once, whichever processes map
 * it. */
void stream_unmake(struct stream *stream);

#endif
