/*
 * metrics - what goes over: every metric of the name space that a value at a time can be told of.
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
	pmDesc out;                          /* counters of 32 bits have 64 */
	bool mean;                           /* a number whose mean is asked for */
	uint64_t told;  /* the last sample in which it had values; 0: none */
	struct observed_inst *first, **last; /* its instances, as they were met */
};

struct metrics {
	struct metric **list; /* in the order of the name space */
	pmID *pmids;          /* the same */
	size_t n, room;
	struct hash by_pmid;
	struct arena mem;
};

/* All that the archives describe; those of events and aggregates are told and left out. False after an
 * error was told. */
bool metrics_find(struct metrics *m, const struct source *source, bool mean);
void metrics_done(struct metrics *m);

/* NULL: it does not go over. */
struct metric *metrics_get(const struct metrics *m, pmID pmid);

/* True for a counter that is made wider. */
bool metric_is_widened(const struct metric *metric);

#endif
