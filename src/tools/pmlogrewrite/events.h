/*
 * events - what the rules say of metrics, for those that are parameters inside event records.
 *
 * A parameter has no instance: deleted, renumbered, scaled and converted is all that can become of
 * it. 6.0.3 leaves parameters as they were, so that the archive does not describe them any more.
 */
#ifndef PMLOGREWRITE_EVENTS_H
#define PMLOGREWRITE_EVENTS_H

#include <pcp/pmapi.h>

struct values;

/* Gives the values of a set of event records new blocks, in the memory of the record that is
 * rewritten. 0; as values_rewrite. */
int events_rewrite(struct values *v, pmValueSet *set);

#endif
