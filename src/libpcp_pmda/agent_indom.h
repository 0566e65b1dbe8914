/*
 * agent_indom - instance domains, and where each cluster keeps its struct of an instance.
 *
 *     indom_state   which instances there are: defined by one cluster (or fixed), known to
 *                   libpcp_pmda as a pmdaCache (ids by name) or a pmdaIndom (ids given)
 *     inst_map      of one cluster and one domain: instance id -> index of its struct
 *
 * Both follow a refresh lazily, and do nothing when it added the same instances in the same order
 * as the one before, which is nearly always: then a refresh costs one memcmp a domain.
 */
#ifndef LIBPCP_PMDA_AGENT_INDOM_H
#define LIBPCP_PMDA_AGENT_INDOM_H

#include <stdbool.h>
#include <stdint.h>

#include <pitot/agent.h>

#include "libbase/buffer.h"
#include "libbase/hash.h"

struct sample_table;
struct sample_key;

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
	struct buffer names; /* what the sample had then */
	struct sample_key *keys;
	size_t n;
	int *ids;             /* of the i-th instance; -1: not in the domain */
	struct hash index_of; /* id -> index + 1 */
};

/* Binds the domain to its slot in the agent's pmdaIndom table and loads remembered ids. */
void indom_init(struct indom_state *s, const struct agent_indom *def, int domain, pmdaIndom *table);
void indom_done(struct indom_state *s);

/* Makes the map fit the sample's table; if defines, the domain's instances first. 0 or -ENOMEM. */
int inst_map_sync(struct inst_map *map, struct indom_state *indom, const struct sample_table *t,
		  bool defines);
void inst_map_done(struct inst_map *map);

/* Index of the instance's struct in the sample, or -1. */
static inline long inst_map_find(const struct inst_map *map, int id)
{
	void *entry = hash_find(&map->index_of, hash_u64((uint32_t)id), NULL, NULL);

	return (long)(uintptr_t)entry - 1;
}

#endif
