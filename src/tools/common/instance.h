/*
 * instance - the names of the instances of the domain that is being reported.
 */
#ifndef TOOLS_COMMON_INSTANCE_H
#define TOOLS_COMMON_INSTANCE_H

#include <pcp/pmapi.h>

/* The instances of one domain, in the order in which their agent lists them. */
struct instances {
	pmInDom indom;
	int n; /* number of instances, or the error in their place */
	int *ids;
	char **names;
	int *order; /* positions in ids, sorted by id */
};

/*
 * The instances of a domain, asked for once while the reports stay with it; they belong to this
 * module and hold until the next call or instance_forget. `n` of the result is the error, if any.
 */
const struct instances *instance_get(pmInDom indom);

/* The name of an instance; an error for one that is not there. The name is borrowed. */
int instance_name(pmInDom indom, int inst, const char **ret_name);

/* Values from now on are newer than what is remembered. */
void instance_forget(void);

#endif
