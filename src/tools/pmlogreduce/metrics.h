/*
 * metrics - the metrics that are copied: all of the name space that have a value at a point in
 * time.
 */
#ifndef TOOLS_PMLOGREDUCE_METRICS_H
#define TOOLS_PMLOGREDUCE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct observed_inst;
struct source;

struct metric {
	pmDesc in;
	pmDesc out;                          /* a 32-bit counter becomes a 64-bit one */
	bool mean;                           /* a number whose mean is computed */
	uint64_t told;  /* the last sample in which it had values; 0: none */
	struct observed_inst *first, **last; /* its instances, in the order of their first values */
};

struct metrics {
	struct metric **list; /* in the order of the name space */
	pmID *pmids;          /* the same metrics */
	size_t n, room;
	struct hash by_pmid;
	struct arena mem;
};

/*
 * Loads all metrics that the archives describe. Those of events and aggregates are reported and
 * left out. Returns false after reporting an error.
 */
bool metrics_find(struct metrics *m, const struct source *source, bool mean);
void metrics_done(struct metrics *m);

/* NULL: not copied. */
struct metric *metrics_get(const struct metrics *m, pmID pmid);

/* True for a counter that is widened. */
bool metric_is_widened(const struct metric *metric);

#endif
