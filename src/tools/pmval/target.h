/*
 * target - the metric that is watched.
 */
#ifndef PMVAL_TARGET_H
#define PMVAL_TARGET_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options;

struct target {
	const char *name;
	pmID pmid;
	pmDesc desc;
	bool rate;           /* a counter whose values are shown as rates */
	bool event;          /* its values are event records */
	int n_chosen;        /* number of instances that were named; 0: all are wanted */
	char **chosen_names; /* their names as given; borrowed from the options */
	int *chosen;         /* their identifiers */
};

/*
 * Finds the metric and the chosen instances in the current context, and restricts the context's
 * profile to them. Returns 0, or an error after reporting it.
 */
int target_find(struct target *t, const struct options *o);

/* True if an instance is wanted. */
bool target_wants(const struct target *t, int inst);

void target_done(struct target *t);

#endif
