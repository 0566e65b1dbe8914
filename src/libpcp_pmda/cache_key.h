/*
 * cache_key - keys of instances, and the numbers made of them (docs/spec/pmda.md 12.4).
 *
 * The hash is the contract: an instance keeps its number over restarts and rebuilds because the
 * same key gives the same number everywhere.
 */
#ifndef LIBPCP_PMDA_CACHE_KEY_H
#define LIBPCP_PMDA_CACHE_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct cache;
struct cache_entry;

/* Jenkins' "lookup2" of len bytes, taken as signed; initial is 0 or the previous attempt's hash. */
uint32_t cache_key_hash(const void *key, int len, uint32_t initial);

/* Has the entry exactly this key? */
bool cache_key_equal(const struct cache_entry *e, const void *key, int len);

/*
 * The number for a name that is not in the cache yet: >= 0, PM_ERR_INST if the key or the name
 * belongs to another instance, PM_ERR_GENERIC, logged, if all attempts met others' numbers.
 * Counts the attempts and turns reuse mode on.
 */
int cache_key_inst(struct cache *c, const char *name, const void *key, int len);

#endif
