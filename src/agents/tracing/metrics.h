/*
 * metrics - the rows of the agent, the metrics of fields, which are known at run time only, and the
 * names of both.
 */
#ifndef TRACING_METRICS_H
#define TRACING_METRICS_H

#include <pitot/agent.h>

#include "tracing.h"

enum { METRICS_EVENTS = 0 }; /* the item of tracing.stream.events */

extern const struct agent_cluster metrics_cluster;

/* Hooks of the agent. */
const struct agent_metric *metrics_field(unsigned int cluster, unsigned int item, pmdaExt *ext);
void metrics_names(pmdaNameSpace *tree, pmdaExt *ext);

#endif
