/*
 * cache_dump - a cache as text, for people (docs/spec/pmda.md 12.9).
 */
#ifndef LIBPCP_PMDA_CACHE_DUMP_H
#define LIBPCP_PMDA_CACHE_DUMP_H

#include <stdbool.h>
#include <stdio.h>

struct cache;

/* hashes: with the chains that entries would form in a table of the cache's hash size. */
void cache_dump(FILE *f, struct cache *c, bool hashes);

/* A key as its digits: "[key=0x0102]". */
void cache_dump_key(FILE *f, const void *key, int len);

#endif
