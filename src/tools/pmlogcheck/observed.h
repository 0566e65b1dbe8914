/*
 * observed - the value that each instance of each metric had last: what the next one is held
 * against.
 */
#ifndef PMLOGCHECK_OBSERVED_H
#define PMLOGCHECK_OBSERVED_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

struct observation {
	pmID pmid;
	int inst;
	bool known; /* there was a value, and no mark since */
	unsigned int epoch;
	pmAtomValue value;
	struct timespec when;
};

struct observed;

/* Out of memory: exits, here and below. */
struct observed *observed_new(void);
void observed_free(struct observed *o);

/* The last one, to be overwritten; a new one is not known. Constant time. */
struct observation *observed_get(struct observed *o, pmID pmid, int inst);

/* From now on none is known: there was a mark. */
void observed_forget(struct observed *o);

#endif
