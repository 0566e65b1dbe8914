/*
 * agent_cluster - a cluster at work: when it is refreshed, by whom, and what came of it.
 *
 * A plain cluster has one sample that a fetch refreshes and reads. One that may be slow (wait_ms)
 * has two: the published one that fetches read, and the one that is filled; they change places.
 */
#ifndef LIBPCP_PMDA_AGENT_CLUSTER_H
#define LIBPCP_PMDA_AGENT_CLUSTER_H

#include <stdint.h>

#include "agent_indom.h"
#include "agent_refresh.h"
#include "agent_sample.h"
#include "agent_slow.h"

/* What NAME.refresh.* tells of a cluster. */
struct cluster_stats {
	uint64_t count;
	uint64_t failures;
	uint64_t stale; /* fetches that were served an older snapshot, or none, by a slow cluster */
	uint64_t took_ns;
	uint64_t last_ns;
	int last_error; /* 0 or -errno of the last failure */
};

struct cluster_state {
	const struct agent_cluster *def;
	struct sample_blank blank;
	struct sample samples[2];
	struct sample *current; /* NULL: nothing yet */
	struct sample *spare;   /* for the next refresh */
	struct inst_map maps[AGENT_CLUSTER_INDOMS];
	struct indom_state *indoms[AGENT_CLUSTER_INDOMS]; /* of fills[]; borrowed */
	struct agent_refresh refresh;
	struct slow slow;
	bool threaded; /* the helper refreshes, from now on */
	struct cluster_stats stats;
	uint64_t seq;           /* the fetch that it was last asked in */
	unsigned int first_row; /* of def->metrics in the agent's rows */
};

/* state and root are kept; indoms[] is the caller's to fill. -errno. Not to be moved afterwards. */
int cluster_init(struct cluster_state *c, const struct agent_cluster *def,
		 struct agent_state *state, const struct refresh_root *root);
void cluster_done(struct cluster_state *c);

/* Refreshes, unless this fetch (seq) has done so, or the snapshot is young enough. */
void cluster_need(struct cluster_state *c, uint64_t seq);

/* Makes fills[i]'s map fit the snapshot and the domain. Costs nothing when nothing changed. */
void cluster_sync(struct cluster_state *c, int i);

/* The value of a row for an instance (of fills[fill]; fill -1: no instances): 1 found, 0 no value,
 * PM_ERR_* instead of one. */
int cluster_value(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		  pmAtomValue *ret_atom);

#endif
