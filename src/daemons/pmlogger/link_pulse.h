/* link_pulse - which run of the collector it is, and its time: for the first and the last record. */
#ifndef PMLOGGER_LINK_PULSE_H
#define PMLOGGER_LINK_PULSE_H

#include <stdint.h>
#include <time.h>

#include "daemons/pmlogger/pmcd_link.h"

struct link_pulse {
	struct link_job job;
	uint64_t pid; /* pmcd.pid and pmcd.seqnum; 0: unknown */
	uint32_t seqnum;
	struct timespec stamp;
};

/* A job: 0, or why nothing came. */
int link_pulse_run(struct link_job *job, struct pmcd_link *link);

#endif
