/*
 * sample - all metrics at one point in time, in the form in which they are written.
 */
#ifndef TOOLS_PMLOGREDUCE_SAMPLE_H
#define TOOLS_PMLOGREDUCE_SAMPLE_H

#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

struct metrics;
struct observed;
struct source;

struct sample {
	const struct source *source;
	const struct metrics *metrics;
	const struct observed *observed;
	struct timespec interval;
	int again; /* a second context, for counters that wrap; -1: none yet */

	struct timespec when; /* time of the record */
	struct timespec at;   /* time of the values: as `when`, but not before the archive begins */
	pmValueSet **sets; /* the sets and their values are valid until the next sample */
	uint32_t n;

	pmHighResResult *values, *wrapped;
	struct arena mem;
};

/* Begins with the time of the first sample. Returns 0 or an error. */
int sample_begin(struct sample *s, const struct timespec *first);
void sample_end(struct sample *s);

/* Advances to the time of the next sample. */
void sample_next(struct sample *s);

/*
 * Makes the sample of the current time, after the observations for it. Metrics without a value are
 * in it; those whose value comes from an observation for an earlier sample are not. Returns 0 or an
 * error; PM_ERR_EOL at the end.
 */
int sample_take(struct sample *s);

#endif
