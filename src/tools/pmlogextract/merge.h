/*
 * merge - the records of all inputs in the order of time, with a mark at the end of each input.
 */
#ifndef TOOLS_PMLOGEXTRACT_MERGE_H
#define TOOLS_PMLOGEXTRACT_MERGE_H

#include <stdbool.h>

#include "tools/pmlogextract/inputs.h"

struct merge {
	struct inputs *in;
	bool always_mark; /* also write a mark if the same collector goes on */
};

struct merge_item {
	struct timespec stamp;
	struct input *input;            /* NULL: a mark between inputs */
	const struct result_view *view; /* its record, valid until the next call; may be a mark */
};

/* A millisecond later: the time of a mark after a record. */
struct timespec merge_after(struct timespec t);

/*
 * Begins with the first records that are not before start. Damage is reported and ends its input.
 */
void merge_begin(struct merge *m, struct inputs *in, const struct timespec *start,
		 bool always_mark);

/* Returns the next item; false after the last one. */
bool merge_next(struct merge *m, struct merge_item *ret_item);

#endif
