/*
 * agent_worker - who runs a cluster's refreshes: a handle, a sample to fill, and for clusters that
 * may be slow a thread.
 *
 * A worker whose refresh hangs is abandoned: it keeps its memory and its thread until it comes
 * back, if ever, and another takes its place, which leaves alone what the first one hangs on
 * (agent_may_hang_on). So one dead mount costs its own values, not those of all others.
 */
#ifndef LIBPCP_PMDA_AGENT_WORKER_H
#define LIBPCP_PMDA_AGENT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "libpcp_pmda/agent_refresh.h"
#include "libpcp_pmda/agent_sample.h"
#include "libpcp_pmda/agent_slow.h"

/* Abandoned workers of a cluster; with so many, the next one that hangs is waited for. */
#define WORKER_MAX_STUCK 16

/* A refresh that takes longer than this hangs. */
#define WORKER_HANG_MS 2000

struct cluster_state;

struct worker {
	struct agent_refresh refresh;
	struct sample sample;
	struct slow slow;
	uint64_t asked_ms;   /* CLOCK_MONOTONIC of the last worker_ask */
	char what[256];      /* what the refresh may hang on now; under the cluster's stuck_lock */
	struct worker *next; /* in the cluster's list of abandoned ones */
};

/* A worker for the cluster, whose blank is set; no thread as yet. -errno. */
int worker_new(struct cluster_state *c, struct worker **ret_worker);

/* Not while its thread runs a refresh. */
void worker_free(struct worker *w);

/* Refreshes into w->sample, in the calling thread. */
void worker_run(struct worker *w);

/* Has the thread refresh into w->sample unless it is at it; as slow_ask. */
bool worker_ask(struct worker *w);

/* True if the refresh under way hangs. */
bool worker_hangs(struct worker *w);

#endif
