/*
 * observed - what the records between two samples say of each instance of each metric.
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
	uint64_t sample;  /* the one that it was last observed for */
	uint64_t stretch; /* between two marks; counters are followed within one */
	uint32_t raw;     /* a counter that is widened: the last value, */
	int64_t whole;    /* and what it would be without wraps */
	double sum;       /* of the numbers observed for the sample */
	uint64_t count;
	struct observed_inst *next; /* of the metric */
};

struct observed {
	struct hash insts;
	struct arena mem;
	uint64_t sample;  /* the one that is to come, from 1 */
	uint64_t stretch; /* from 1 */
};

void observed_begin(struct observed *o);
void observed_done(struct observed *o);

/* A value set of a record. 0, -ENOMEM. */
int observed_add(struct observed *o, struct metric *metric, const pmValueSet *set);

/* A mark: what counters were before it says nothing of what follows. */
void observed_mark(struct observed *o);

/* The sample was taken: what comes is for the next one. */
void observed_next(struct observed *o);

/* NULL: not observed since the metric last had values in a sample. Of metrics without instance domain any
 * instance is the one they have. */
const struct observed_inst *observed_get(const struct observed *o, const struct metric *metric,
					 int inst);

/* What a counter of 32 bits is without wraps when its value is raw, at or after the one observed
 * last. */
int64_t observed_whole(const struct observed_inst *inst, uint32_t raw);

#endif
