/*
 * metrics - the rows: the description of each metric, the place of its value, the function for a
 * store.
 */
#ifndef TRACING_METRICS_H
#define TRACING_METRICS_H

#include <stddef.h>

#include "tracing.h"

enum { METRICS_EVENTS = 0, METRICS_NO_INDOM = -1 };

/* Takes a stored value for a thing (struct stream *, or NULL): 0 or an error. */
typedef int metrics_store_fn(void *thing, int context, const pmAtomValue *atom);

struct metrics_row {
	const char *name; /* after "tracing." */
	unsigned int cluster, item;
	int type, sem;
	int serial; /* of the instance domain */
	pmUnits units;
	int place;               /* of the value in the instance's object; -1: none */
	metrics_store_fn *store; /* NULL: it can't be stored */
	const char *help;
};

extern const struct metrics_row metrics_rows[];
extern const size_t metrics_nrows;

const struct metrics_row *metrics_find(pmID pmid);
const char *metrics_indom_help(int serial);

/* The value of a row in a thing: as of a fetch callback. */
int metrics_value(const struct metrics_row *row, const void *thing, pmAtomValue *atom);

/* The data of rows without instances; filled in by metrics_look(). */
struct metrics_agent {
	uint32_t streams, processes;
	uint64_t memory, memory_max, attach_errors;
	const char *last_error;
	const char *empty;
};
const struct metrics_agent *metrics_look(void);

#endif
