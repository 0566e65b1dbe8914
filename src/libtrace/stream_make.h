/*
 * stream_make - streams come and go: what create, create_withlog and shutdown do beside giving out
 * a trid. Controller side.
 */
#ifndef LIBTRACE_STREAM_MAKE_H
#define LIBTRACE_STREAM_MAKE_H

#include <sys/types.h>

#include <trace.h>

#include "libtrace/stream.h"

/*
 * A suspended stream of a kind for a process, by resolved attributes (attr_resolve()), that nobody
 * records into yet: 0, -EINVAL, -ESRCH, -EPERM, -EAGAIN, -ENOMEM, in this order
 * (docs/spec/posix-trace.md 10.2). attr.creation time is set in the stream's copy.
 */
int stream_make(pid_t pid, const trace_attr_t *attr, enum stream_kind kind, struct stream **ret);

/* Makes it known to its target, to the keeper, and by a trid: 0, -EAGAIN, -ENOMEM, -ESRCH. On
 * failure it is as after stream_make(). */
int stream_publish(struct stream *stream, trace_id_t *ret);

/* Undoes both; of a stream without trid. Its memory is given back at once, whoever maps it. */
void stream_unmake(struct stream *stream);

#endif
