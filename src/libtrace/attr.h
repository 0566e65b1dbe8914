/*
 * attr - attribute objects of streams: plain values that mark themselves initialised
 * (docs/spec/posix-trace.md 4, 10.1). Pure, but for the clock's resolution.
 */
#ifndef LIBTRACE_ATTR_H
#define LIBTRACE_ATTR_H

#include <stdbool.h>

#include <trace.h>

#define ATTR_MAGIC 0x70747261u

enum {
	ATTR_STREAM_SIZE = 64 * 1024,
	ATTR_DATA_SIZE = 1024,
	ATTR_LOG_SIZE = 4 * 1024 * 1024,
};

/* What a stream is made with: attr, or the defaults for NULL; the stream-full-policy is resolved
 * (LOOP without log, FLUSH with one) and FLUSH without log is refused. The environment's
 * PITOT_TRACE_CLOCK=strict turns a default clock mode into the strict one. Sizes are judged by
 * who makes segment and log. 0, -EINVAL. */
int attr_resolve(const trace_attr_t *attr, bool logged, trace_attr_t *ret);

#endif
