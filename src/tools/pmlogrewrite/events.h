/*
 * events - applies the rules for metrics to parameters inside event records.
 *
 * A parameter has no instance, so it can only be deleted, renumbered, scaled and converted. 6.0.3
 * leaves parameters unchanged, so that the archive no longer describes them.
 */
#ifndef PMLOGREWRITE_EVENTS_H
#define PMLOGREWRITE_EVENTS_H

#include <pcp/pmapi.h>

struct values;

/*
 * Gives the values of a set of event records new blocks, in the memory of the rewritten record.
 * Returns 0, or an error as values_rewrite does.
 */
int events_rewrite(struct values *v, pmValueSet *set);

#endif
