/*
 * export - the formats of an export, its file, and metrics as tracks.
 */
#ifndef PITOT_EXPORT_EXPORT_H
#define PITOT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <trace_np.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"
#include "tools/pitot/trace/source.h"

struct metric_sample;

/*
 * export_sink - where an export goes: one table of functions a format.
 *
 *     open -> event, gap, sample, in order of time as far as the log has it -> finish -> close
 *
 * All return 0 or -errno; close comes after whatever went before.
 */

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

/*
 * export_file - the file of an export that is one: made new, or standard output.
 */

/* Makes a file that is not there yet; "-" is standard output. 0 or -errno. */
int export_file_open(FILE **ret_file, const char *path);

/* Writes what is buffered. 0, or -errno of this or of an earlier write. */
int export_file_flush(FILE *file);

/* Closes; standard output stays open. */
void export_file_close(FILE *file);

/*
 * metric_track - metrics of an archive as tracks of numbers over time, for exports.
 *
 * A track is a metric's instance, or a metric without instances. Counters become rates a second,
 * unless they are wanted raw; a counter of time becomes the part of the time that it took. A mark in
 * the archive, and a counter that goes back, leave a hole: no rate reaches over it.
 */

/* An instance of a metric. */
struct metric_track {
	unsigned id;	      /* counted from 0 in order of appearance */
	const char *metric;
	const char *instance; /* NULL: the metric has none */
	const char *units;    /* of the values: "" none */
	bool whole;	      /* values are integers */
};

struct metric_sample {
	const struct metric_track *track;
	int64_t ns; /* since the epoch */
	double value;
	int64_t integer; /* where the track's values are whole */
};

struct metric_tracks; /* opaque */

/*
 * Opens an archive and looks the metrics up: names, also of inner nodes, with instances as
 * "name[first,second]". Samples are those from from_ns to to_ns. NULL after a message.
 */
struct metric_tracks *metric_tracks_open(const char *command, const char *archive,
					 const struct wordlist *metrics, bool raw, int64_t from_ns,
					 int64_t to_ns);

/* The next sample in order of time, if it is not later than until_ns: 1; 0: none; -errno after a
 * message. It is valid until the next call; its track until the end. */
int metric_tracks_next(struct metric_tracks *m, int64_t until_ns, struct metric_sample *ret_sample);

void metric_tracks_free(struct metric_tracks *m);

/* Adds the metrics of a text to a list: separated by commas outside of brackets. */
void metric_tracks_split(struct wordlist *list, const char *text);

#endif
