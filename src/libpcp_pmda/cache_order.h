/*
 * cache_order - the instances of a cache in ascending order: an array of refs. Instances that are
 * added out of order wait at its end and are merged in when the order is next needed.
 *
 *     order  | ascending by instance ........ | added since, unsorted |
 *            0                          nsorted                   count
 */
#ifndef LIBPCP_PMDA_CACHE_ORDER_H
#define LIBPCP_PMDA_CACHE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "libpcp_pmda/cache.h"

/* Room in the order for n entries in all: 0, -ENOMEM. */
int cache_order_reserve(struct cache *c, uint32_t n);

/* All that was added is at its place; that takes time, but no memory that it cannot do without. */
void cache_order_make(struct cache *c);

static inline void cache_order_ready(struct cache *c)
{
	if (c->nsorted != c->count)
		cache_order_make(c);
}

/* The entry at a place (0 … count - 1); NULL beyond. */
struct cache_entry *cache_order_at(struct cache *c, uint32_t pos);

/* Counts up when places change, and the first place after an instance number. */
uint32_t cache_order_changes(struct cache *c);
uint32_t cache_order_behind(struct cache *c, int inst);

/* A walk over the active instances; false if the domain has no cache; if there is no more. */
bool cache_walk_start(struct cache_walk *walk, pmInDom indom);
bool cache_walk_next(struct cache_walk *walk, int *ret_inst);

#endif
