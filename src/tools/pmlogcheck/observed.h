/*
 * observed - the last value of each instance of each metric, which the next one is compared with.
 */
#ifndef PMLOGCHECK_OBSERVED_H
#define PMLOGCHECK_OBSERVED_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

struct observation {
	pmID pmid;
	int inst;
	bool known; /* there was a value after the last mark */
	unsigned int epoch;
	pmAtomValue value;
	struct timespec when;
};

struct observed;

/* Exits if out of memory, as does observed_last. */
struct observed *observed_new(void);
void observed_free(struct observed *o);

/* The last value, to be overwritten; a new one is not known. Takes constant time. */
struct observation *observed_get(struct observed *o, pmID pmid, int inst);

/* Makes all values unknown, because there was a mark. */
void observed_forget(struct observed *o);

#endif
