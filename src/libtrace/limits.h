/*
 * limits - sysconf() for the names of the tracing options, and posix_trace_sysconf_np().
 *
 * The C library knows the eight names and returns -1. The library's own sysconf() answers them and
 * passes all other names on (docs/spec/posix-trace.md 3). No constructor, no memory; errno is kept.
 */
#ifndef LIBTRACE_LIMITS_H
#define LIBTRACE_LIMITS_H

/* Limits of the remains of a killed controller's streams (docs/spec/posix-trace.md 11). */
enum {
	LIMIT_REMAINS_BYTES = 64 * 1024 * 1024,
	LIMIT_REMAINS_SECONDS = 3600,
};

#endif
