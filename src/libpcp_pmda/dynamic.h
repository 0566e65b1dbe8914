/*
 * dynamic - names and metrics that an agent makes while it runs (docs/spec/pmda.md 17.3).
 *
 * A registration is a subtree of names, kept by the agent's callbacks, and a table of metrics of
 * which each comes once for each of so many clusters. Registrations belong to an agent, or to the
 * process; those of the process count for an agent that has none.
 */
#ifndef LIBPCP_PMDA_DYNAMIC_H
#define LIBPCP_PMDA_DYNAMIC_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

struct dynamic {
	const char *prefix; /* the caller's */
	pmdaUpdatePMNS update_names;
	pmdaUpdateText update_text;
	pmdaUpdateMetric update_metric;
	pmdaCountMetrics count;
	pmdaMetric *metrics; /* the caller's */
	int nmetrics;
	pmdaNameSpace *tree; /* the callback's: made, exchanged and freed there */
	unsigned int mask;   /* kept for the caller; the library does not use it */
};

struct dynamic_list {
	struct dynamic *entries;
	int n;
};

#endif
