/*
 * target - the metric that is stored to, and the chosen instances.
 */
#ifndef PMSTORE_TARGET_H
#define PMSTORE_TARGET_H

#include <pcp/pmapi.h>

struct options;

struct target {
	const char *name; /* borrowed from the options */
	pmDesc desc;
	int *chosen; /* from -i; none: all instances that have a value */
	int n_chosen;
};

/*
 * Finds the metric that the options name, chooses the instances (this sets a profile) and checks
 * that the metric's type can be stored. Returns 0, or an error after reporting it.
 */
int target_find(struct target *t, const struct options *o);

/*
 * The text as a value of the metric's type; the caller owns a string. Returns 0, or an error after
 * reporting it.
 */
int target_parse(const struct target *t, const char *text, pmAtomValue *ret_atom);

void target_done(struct target *t);

#endif
