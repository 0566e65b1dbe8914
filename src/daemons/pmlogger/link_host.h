/*
 * link_host - the context is made, and who is at its other end (docs/spec/logger.md A6).
 */
#ifndef PMLOGGER_LINK_HOST_H
#define PMLOGGER_LINK_HOST_H

#include "daemons/pmlogger/pmcd_link.h"

enum { LINK_HOST_TEXT = 256 };

struct link_host {
	struct link_job job;
	int type;         /* of pmNewContext */
	const char *name; /* its name */
	/* For PM_CONTEXT_LOCAL: agents are the thread's that first spoke of them. */
	const char *const *specs;
	unsigned int nspec;
	/* What came. */
	char host[LINK_HOST_TEXT];     /* as the collector calls itself */
	char timezone[LINK_HOST_TEXT]; /* empty: not told */
	char zoneinfo[LINK_HOST_TEXT];
};

/* A job: 0, or why there is no context. What the collector does not tell is empty. */
int link_host_run(struct link_job *job, struct pmcd_link *link);

#endif
