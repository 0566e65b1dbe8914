/*
 * sample - all metrics at one time, as they go over.
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
	int again; /* a context for counters that wrap; -1: none yet */

	struct timespec when; /* of the record */
	struct timespec at;   /* of its values: as when, but not before the archive begins */
	pmValueSet **sets; /* they and their values live until the next one is taken */
	uint32_t n;

	pmHighResResult *values, *wrapped;
	struct arena mem;
};

/* From a time on, which the first sample is of. 0, or an error. */
int sample_begin(struct sample *s, const struct timespec *first);
void sample_end(struct sample *s);

/* Goes on to the time of the next one. */
void sample_next(struct sample *s);

/*
 * The one at its time, after what was observed for it. Metrics without value are in it; those whose value
 * is of an observation for an earlier sample are not. 0, or an error: PM_ERR_EOL at the end.
 */
int sample_take(struct sample *s);

#endif
