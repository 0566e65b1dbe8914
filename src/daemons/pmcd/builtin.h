/*
 * builtin - the agent "pmcd": the collector's metrics about itself (docs/spec/pmcd.md 11).
 *
 * A metric is a row of builtin_metrics.c (PCP's) or builtin_own.c (pitot.*): name, identifier,
 * description, how it is read and who may set it. Name space, descriptors, one-line help and values
 * come from the rows. A configuration line with the entry point pmcd_init means this agent,
 * whatever object it names.
 */
#ifndef PMCD_BUILTIN_H
#define PMCD_BUILTIN_H

struct pmns;

enum {
	BUILTIN_DOMAIN = 2,
};

/* Adds the names that are missing. 0 or -ENOMEM. */
int builtin_add_names(struct pmns *ns);

#endif
