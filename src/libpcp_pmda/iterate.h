/*
 * iterate - the instances of a domain that a profile lets through (docs/spec/pmda.md 10.1).
 *
 * A domain is a cache (pmdaCache), which wins, or an entry of the agent's table. The library's own
 * walks keep their state in a struct iterate of their own, so a callback may start another one;
 * __pmdaStartInst and __pmdaNextInst share the one of their agent, as their interface makes them.
 */
#ifndef LIBPCP_PMDA_ITERATE_H
#define LIBPCP_PMDA_ITERATE_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libpcp_pmda/cache.h"

enum iterate_kind {
	ITERATE_NONE, /* unknown domain, or at the end */
	ITERATE_SINGLE,
	ITERATE_TABLE,
	ITERATE_CACHE,
};

/* One domain's part of a profile, made quick to ask. */
struct profile_filter {
	bool all;         /* no instance is filtered */
	bool none;        /* nothing passes */
	bool listed_pass; /* the listed ones pass, else all but these */
	const int *list;  /* ascending if sorted */
	int n;
	bool sorted;
	int at;   /* if sorted: the listed ones before this are below the instance last asked for */
	int *own; /* the list's sorted copy, freed by iterate_done */
};

struct iterate {
	enum iterate_kind kind;
	bool plain; /* a table, no instance is filtered, and no trace is on */
	pmInDom indom;
	const pmdaIndom *table;
	int pos; /* next index of the table; instances seen of a cache */
	struct cache_walk walk;
	struct profile_filter filter;
};

/* Begins at the first instance. An unknown domain has none. End it with iterate_done. */
void iterate_start(struct iterate *it, pmInDom indom, const pmdaExt *ext);

/* iterate_next but for the commonest case. */
bool iterate_next_slow(struct iterate *it, int *ret_inst);

/* The next instance that passes the profile (0 for PM_INDOM_NULL); false at the end. */
static inline bool iterate_next(struct iterate *it, int *ret_inst)
{
	if (!it->plain || it->pos >= it->table->it_numinst)
		return iterate_next_slow(it, ret_inst);
	*ret_inst = it->table->it_set[it->pos++].i_inst;
	return true;
}

void iterate_done(struct iterate *it);

/* The domain's entry in the agent's table, or NULL. */
const pmdaIndom *iterate_table(const pmdaExt *ext, pmInDom indom);

#endif
