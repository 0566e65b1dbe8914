/*
 * export_sink - where an export goes: one table of functions a format.
 *
 *     open -> event, gap, sample, in order of time as far as the log has it -> finish -> close
 *
 * All return 0 or -errno; close comes after whatever went before.
 */
#ifndef PITOT_EXPORT_SINK_H
#define PITOT_EXPORT_SINK_H

#include <stddef.h>
#include <stdint.h>

#include <trace_np.h>

#include "trace_source.h"

struct metric_sample;

/* The properties of the log. */
struct export_about {
	const char *name;   /* of the stream */
	int64_t created_ns; /* since the epoch */
};

struct export_sink {
	const char *option; /* "ctf" */
	size_t size;	    /* of its state, which begins as zeroes */
	int (*open)(void *state, const char *path, const struct export_about *about);
	int (*event)(void *state, struct trace_source *source, const struct trace_event *e);
	/* Between the events before and those to come, from and to these times, so many were lost. */
	int (*gap)(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost);
	int (*sample)(void *state, const struct metric_sample *sample);
	int (*finish)(void *state, struct trace_source *source,
		      const struct posix_trace_counts_np *counts);
	void (*close)(void *state);
};

extern const struct export_sink ctf_sink, perfetto_sink, json_sink;

#endif
