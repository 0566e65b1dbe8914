/*
 * merge - the records of all inputs in order of time, and a mark where one of them ends.
 */
#ifndef TOOLS_PMLOGEXTRACT_MERGE_H
#define TOOLS_PMLOGEXTRACT_MERGE_H

#include <stdbool.h>

#include "tools/pmlogextract/inputs.h"

struct merge {
	struct inputs *in;
	bool always_mark; /* even where the same collector goes on */
};

struct merge_item {
	struct timespec stamp;
	struct input *input;            /* NULL: a mark between inputs */
	const struct result_view *view; /* its record, until the next call; may be a mark */
};

/* A millisecond later: where a mark stands. */
struct timespec merge_after(struct timespec t);

/* Begins with the first records that are not before start. Damage is told, and ends its input. */
void merge_begin(struct merge *m, struct inputs *in, const struct timespec *start,
		 bool always_mark);

/* The next of them: false after the last. */
bool merge_next(struct merge *m, struct merge_item *ret_item);

#endif
