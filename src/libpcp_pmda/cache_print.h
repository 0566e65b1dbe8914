/*
 * cache_print - a cache as text, for people (docs/spec/pmda.md 12.9); and messages on stderr, with
 * the debug flag "indom", about instances that a cache does not take (12.3, 12.4, 12.5).
 */
#ifndef LIBPCP_PMDA_CACHE_PRINT_H
#define LIBPCP_PMDA_CACHE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

struct cache;

/* hashes: with the chains that entries would form in a table of the cache's hash size. */
void cache_dump(FILE *f, struct cache *c, bool hashes);

/* A key as its digits: "[key=0x0102]". */
void cache_dump_key(FILE *f, const void *key, int len);

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
