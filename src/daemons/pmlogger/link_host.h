/*
 * link_host - the context is made, and who is at its other end (docs/spec/logger.md A6).
 */
#ifndef PMLOGGER_LINK_HOST_H
#define PMLOGGER_LINK_HOST_H

#include <stdint.h>
#include <time.h>

#include "daemons/pmlogger/pmcd_link.h"

enum { LINK_HOST_TEXT = 256 };

struct link_host {
	struct link_job job;
	int type;         /* of pmNewContext */
	const char *name; /* its name */
	/* For PM_CONTEXT_LOCAL: agents are the thread's that first spoke of them. */
	const char *const *specs;
	unsigned int nspec;
	/* The result. */
	char host[LINK_HOST_TEXT];     /* as the collector calls itself */
	char timezone[LINK_HOST_TEXT]; /* empty: unknown */
	char zoneinfo[LINK_HOST_TEXT];
};

/* A job: 0, or why there is no context. Fields that the collector does not report are empty. */
int link_host_run(struct link_job *job, struct pmcd_link *link);

/* Which run of the collector it is, and its time: for the first and the last record. */
struct link_pulse {
	struct link_job job;
	uint64_t pid; /* pmcd.pid and pmcd.seqnum; 0: unknown */
	uint32_t seqnum;
	struct timespec stamp;
};

/* A job: 0, or why nothing came. */
int link_pulse_run(struct link_job *job, struct pmcd_link *link);

#endif
