/*
 * cache_trace - messages on stderr, with the debug flag "indom", about instances that a cache does
 * not take (docs/spec/pmda.md 12.3, 12.4, 12.5). Without the flag nothing is printed.
 */
#ifndef LIBPCP_PMDA_CACHE_TRACE_H
#define LIBPCP_PMDA_CACHE_TRACE_H

struct cache;
struct cache_entry;

/* Reports that a name is not in the cache, and that these flags of a store do not add it. */
void cache_trace_absent(const struct cache *c, const char *name, int flags);

/* The name of the entry came with another key. */
void cache_trace_other_key(const struct cache *c, const struct cache_entry *e, const void *key,
			   int len);

/* The number or the key of the entry came with another name. */
void cache_trace_other_name(const struct cache *c, const struct cache_entry *e, const char *name);

/* A file gives a number or a name that the entry has with another name or number. */
void cache_trace_taken(const struct cache *c, const struct cache_entry *e, const char *name,
		       int inst);

/* No entry has this key. */
void cache_trace_no_key(const struct cache *c, const void *key, int len);

#endif
