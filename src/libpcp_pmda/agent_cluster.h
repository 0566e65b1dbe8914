/*
 * agent_cluster - a cluster at work: when it is refreshed, by whom, and what came of it.
 *
 * A worker fills a reading of its own; when that is complete it changes places with the published
 * one, which fetches read. A plain cluster's worker does so within the fetch. One that may be slow
 * (wait_ms) has a thread for it: from the start if it may hang, else as soon as a refresh took too
 * long.
 */
#ifndef LIBPCP_PMDA_AGENT_CLUSTER_H
#define LIBPCP_PMDA_AGENT_CLUSTER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <pitot/agent.h>

#include "libbase/buffer.h"
#include "libbase/hash.h"
#include "libpcp_pmda/agent_refresh.h"
#include "libpcp_pmda/agent_worker.h"

/* ---- Instances ------------------------------------------------------------------------------ */

/*
 * Instance domains, and where each cluster keeps its struct of an instance.
 *
 *     indom_state   which instances there are: defined by one cluster (or fixed), known to
 *                   libpcp_pmda as a pmdaCache (ids by name) or a pmdaIndom (ids given)
 *     inst_map      of one cluster and one domain: instance id -> index of its struct
 *
 * Both follow a refresh lazily, and do nothing when it added the same instances in the same order
 * as the one before, which is nearly always: then a refresh costs one memcmp a domain.
 */
struct indom_state {
	const struct agent_indom *def;
	pmInDom indom;       /* with the agent's domain number */
	pmdaIndom *table;    /* in the agent's table: for fixed and given ids */
	char *names;         /* owned: what table->it_set points into */
	uint64_t generation; /* changes when the instances do */
};

struct inst_map {
	uint64_t generation; /* of the domain when this was made; 0: never */
	bool defined;        /* that it was made from has defined the domain */
	struct buffer names; /* what the reading had then */
	struct reading_key *keys;
	size_t n;
	int *ids;             /* of the i-th instance; -1: not in the domain */
	struct hash index_of; /* id -> index + 1 */
};

/* Binds the domain to its slot in the agent's pmdaIndom table and loads remembered ids. */
void indom_init(struct indom_state *s, const struct agent_indom *def, int domain, pmdaIndom *table);
void indom_done(struct indom_state *s);

/* Makes the map fit the reading's table; if defines, the domain's instances first. 0 or -ENOMEM. */
int inst_map_sync(struct inst_map *map, struct indom_state *indom, const struct reading_table *t,
		  bool defines);
void inst_map_done(struct inst_map *map);

/* Index of the instance's struct in the reading, or -1. */
static inline long inst_map_find(const struct inst_map *map, int id)
{
	void *entry = hash_find(&map->index_of, hash_u64((uint32_t)id), NULL, NULL);

	return (long)(uintptr_t)entry - 1;
}

/* ---- The cluster ---------------------------------------------------------------------------- */

/* The metrics NAME.refresh.* of a cluster. */
struct cluster_stats {
	uint64_t count;
	uint64_t failures;
	uint64_t stale; /* fetches that were served an older snapshot, or none */
	uint64_t hangs; /* workers abandoned */
	uint64_t took_ns;
	uint64_t last_ns;
	int last_error; /* 0 or -errno of the last failure */
};

struct cluster_state {
	const struct agent_cluster *def;
	struct agent_state *state;
	const struct refresh_root *root;
	struct reading_blank blank;
	struct reading reading; /* published */
	bool published;         /* false: nothing yet */
	bool threaded;          /* the worker's thread refreshes, from now on */
	struct worker *worker;
	struct worker *stuck; /* abandoned ones; changed under the lock by the fetching thread */
	unsigned int nstuck;
	pthread_mutex_t stuck_lock;
	struct inst_map maps[AGENT_CLUSTER_INDOMS];
	struct indom_state *indoms[AGENT_CLUSTER_INDOMS]; /* of fills[]; borrowed */
	struct cluster_stats stats;
	int logged;             /* -errno of the failure that the log has last, or 0 */
	uint64_t seq;           /* the fetch that it was last asked in */
	unsigned int first_row; /* of def->metrics in the agent's rows */
};

/* state and root are kept; indoms[] is the caller's to fill. -errno. Not to be moved afterwards. */
int cluster_init(struct cluster_state *c, const struct agent_cluster *def,
		 struct agent_state *state, const struct refresh_root *root);

/* Only if no thread of it runs a refresh. */
void cluster_done(struct cluster_state *c);

/* Refreshes if it can, unless this fetch (seq) has done so, or the snapshot is young enough. */
void cluster_need(struct cluster_state *c, uint64_t seq);

/* Makes fills[i]'s map fit the snapshot and the domain. Costs nothing when nothing changed. */
void cluster_sync(struct cluster_state *c, int i);

/* The struct of an instance (of fills[fill]), or the snapshot (fill -1): 1, or as cluster_value if
 * there is none. */
int cluster_struct(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		   void **ret_struct);

/* The value of a row for an instance (of fills[fill]; fill -1: no instances): 1 found, 0 no value,
 * PM_ERR_* instead of one. */
int cluster_value(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		  pmAtomValue *ret_atom);

#endif
