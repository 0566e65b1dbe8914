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
 * export_sink - the interface of an export format: a table of functions.
 *
 *     open -> event, gap, sample, in the order of time as far as the log has it -> finish -> close
 *
 * All return 0 or -errno; close is always called.
 */

/* The properties of the log. */
struct export_about {
	const char *name;   /* name of the stream */
	int64_t created_ns; /* since the epoch */
};

struct export_sink {
	const char *option; /* "ctf" */
	size_t size;        /* size of its state, which is zeroed at the start */
	int (*open)(void *state, const char *path, const struct export_about *about);
	int (*event)(void *state, struct trace_source *source, const struct trace_event *e);
	/* So many events were lost between the events before and after, from and to these times. */
	int (*gap)(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost);
	int (*sample)(void *state, const struct metric_sample *sample);
	int (*finish)(void *state, struct trace_source *source,
		      const struct posix_trace_counts_np *counts);
	void (*close)(void *state);
};

extern const struct export_sink ctf_sink, perfetto_sink, json_sink;

/* export_file - the output of an export to a single file: a new file, or standard output. */

/* Makes a new file; "-" is standard output. Returns 0 or -errno. */
int export_file_open(FILE **ret_file, const char *path);

/* Writes the buffer. Returns 0, or -errno of this or of an earlier write. */
int export_file_flush(FILE *file);

/* Closes the file; standard output stays open. */
void export_file_close(FILE *file);

/*
 * metric_track - metrics of an archive as tracks of numbers over time, for exports.
 *
 * A track is a metric's instance, or a metric without instances. Counters become rates per second,
 * unless raw values are requested; a counter of time becomes a share of time. There is no rate
 * across a mark in the archive or a decrease of the counter.
 */

/* An instance of a metric. */
struct metric_track {
	unsigned id; /* counted from 0 in the order of appearance */
	const char *metric;
	const char *instance; /* NULL: the metric has no instances */
	const char *units;    /* units of the values: "" none */
	bool whole;           /* the values are integers */
};

struct metric_sample {
	const struct metric_track *track;
	int64_t ns; /* since the epoch */
	double value;
	int64_t integer; /* the value of a track with integers */
};

struct metric_tracks; /* opaque */

/*
 * Opens an archive and looks up metrics: names, also of inner nodes, with instances as
 * "name[first,second]". Samples are those from from_ns to to_ns. Returns NULL after a message.
 */
struct metric_tracks *metric_tracks_open(const char *command, const char *archive,
					 const struct wordlist *metrics, bool raw, int64_t from_ns,
					 int64_t to_ns);

/*
 * Returns the next sample in the order of time, if it is not later than until_ns: 1; 0: none;
 * -errno after a message. It is valid until the next call; its track is valid until the end.
 */
int metric_tracks_next(struct metric_tracks *m, int64_t until_ns, struct metric_sample *ret_sample);

void metric_tracks_free(struct metric_tracks *m);

/* Adds the metrics of a text to a list: separated by commas outside of brackets. */
void metric_tracks_split(struct wordlist *list, const char *text);

#endif
