/*
 * metric_track - metrics of an archive as tracks of numbers over time, for exports.
 *
 * A track is a metric's instance, or a metric without instances. Counters become rates a second,
 * unless they are wanted raw; a counter of time becomes the part of the time that it took. A mark in
 * the archive, and a counter that goes back, leave a hole: no rate reaches over it.
 */
#ifndef PITOT_METRIC_TRACK_H
#define PITOT_METRIC_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"

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
