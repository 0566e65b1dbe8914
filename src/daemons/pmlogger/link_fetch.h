/* link_fetch - the values of a group of metrics, with its profile. */
#ifndef PMLOGGER_LINK_FETCH_H
#define PMLOGGER_LINK_FETCH_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/pmcd_link.h"

struct fetch_group;

struct link_fetch {
	struct link_job job;
	const struct fetch_group *group;
	/* What came. */
	pmHighResResult *result; /* owned by whoever asked; NULL after an error */
	unsigned int changes;    /* PMCD_* bits */
	unsigned int reconnects;
	bool lost;               /* the error is that of a connection which is gone */
};

/* A job: 0, or why there is no result. */
int link_fetch_run(struct link_job *job, struct pmcd_link *link);

#endif
