/*
 * target - the metric that is stored to, and the instances that are meant.
 */
#ifndef PMSTORE_TARGET_H
#define PMSTORE_TARGET_H

#include <pcp/pmapi.h>

struct options;

struct target {
	const char *name; /* borrowed from the options */
	pmDesc desc;
	int *chosen; /* -i; none: all instances that have a value */
	int n_chosen;
};

/*
 * Finds the metric that the options name, chooses instances (a profile is set then) and makes sure
 * that its type can be stored. 0, or an error after reporting it.
 */
int target_find(struct target *t, const struct options *o);

/* The value of the text as the metric's type; a string is the caller's. 0, or an error after
 * reporting it. */
int target_parse(const struct target *t, const char *text, pmAtomValue *ret_atom);

void target_done(struct target *t);

#endif
