/*
 * observed - the values of each instance of each metric in the records between two samples.
 */
#ifndef TOOLS_PMLOGREDUCE_OBSERVED_H
#define TOOLS_PMLOGREDUCE_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct metric;

struct observed_inst {
	int inst;
	uint64_t sample;  /* the sample that it was last observed for */
	uint64_t stretch; /* the interval between two marks; counters are followed within one */
	uint32_t raw;     /* a counter that is widened: the last value, and */
	int64_t whole;    /* the same value with the wraps added */
	double sum;       /* sum of the numbers observed for the sample */
	uint64_t count;
	struct observed_inst *next; /* next instance of the metric */
};

struct observed {
	struct hash insts;
	struct arena mem;
	uint64_t sample;  /* the next sample, from 1 */
	uint64_t stretch; /* the current interval between marks, from 1 */
};

void observed_begin(struct observed *o);
void observed_done(struct observed *o);

/* Adds a value set of a record. Returns 0 or -ENOMEM. */
int observed_add(struct observed *o, struct metric *metric, const pmValueSet *set);

/* Adds a mark: counters before it say nothing about those after it. */
void observed_mark(struct observed *o);

/* A sample was taken: the next values are for the next one. */
void observed_next(struct observed *o);

/*
 * NULL: not observed since the metric last had values in a sample. A metric without instance domain
 * has one instance, whatever number is given.
 */
const struct observed_inst *observed_get(const struct observed *o, const struct metric *metric,
					 int inst);

/*
 * The value, with the wraps added, of a 32-bit counter whose value is raw at or after the last
 * observation.
 */
int64_t observed_whole(const struct observed_inst *inst, uint32_t raw);

#endif
