/*
 * attr - attribute objects of streams: plain values that mark themselves as initialised
 * (docs/spec/posix-trace.md 4, 10.1). Pure, except for the clock resolution.
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

/* The attributes for a new stream: a copy of attr, or the defaults for NULL. A missing
 * stream-full-policy becomes LOOP without log, FLUSH with a log; FLUSH without log is refused.
 * PITOT_TRACE_CLOCK=strict in the environment turns a default clock mode into the strict one.
 * Sizes are checked where segment and log are made. Returns 0 or -EINVAL. */
int attr_resolve(const trace_attr_t *attr, bool logged, trace_attr_t *ret_attr);

#endif
