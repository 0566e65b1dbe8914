/*
 * metric - the data of one metric while it is reported.
 */
#ifndef PMINFO_METRIC_H
#define PMINFO_METRIC_H

#include <pcp/pmapi.h>

struct metric {
	const char *name;
	pmID pmid;
	pmDesc desc;              /* all zero if no step of the report needs it */
	const pmValueSet *values; /* NULL if none were requested */
};

#endif
