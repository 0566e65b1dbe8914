/*
 * cache - the instances of one domain: numbers, names, keys, states (docs/spec/pmda.md 12).
 *
 * An entry and its name are one piece of memory that never moves (cache_slab.h): callers keep
 * pointers to names. They are found by number, name and key through tables of open addressing that
 * keep the hash beside the entry's ref, so every question is constant in the number of instances,
 * and one by name is two waits for memory. Their ascending order
 * is cache_order.h's.
 *
 * Culled entries (EMPTY) keep their place and their number until cache_reorganise takes them out.
 * One cache per domain, made by the first reference, for the life of the process. No locks.
 */
#ifndef LIBPCP_PMDA_CACHE_H
#define LIBPCP_PMDA_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libpcp_pmda/cache_index.h"
#include "libpcp_pmda/cache_slab.h"

enum {
	CACHE_DIRTY_INSTANCE = 1,
	CACHE_DIRTY_STAMP = 2,
	CACHE_STRINGS = 4,
	CACHE_HASH_SIZE = 16, /* first size of what the dump calls the hash */
	CACHE_KEY_ATTEMPTS = 10,
};

struct cache_key {
	int len;
	unsigned char bytes[];
};

struct cache_entry {
	int inst;
	uint32_t ref;          /* its own */
	uint32_t match_len;    /* of the name: up to the first space */
	uint32_t name_hash;    /* of that part */
	struct cache_key *key; /* NULL: none */
	void *private;
	time_t stamp;  /* 0: active since the last save */
	uint8_t state; /* PMDA_CACHE_ACTIVE, PMDA_CACHE_INACTIVE or PMDA_CACHE_EMPTY */
	char name[];
};

struct cache;

/* A walk over the active instances in ascending order; adding and hiding meanwhile is allowed. */
struct cache_walk {
	struct cache *cache;
	uint32_t pos;
	uint32_t changes; /* the order that pos belongs to */
	int last;         /* instance seen last, -1: none */
};

struct cache {
	pmInDom indom;
	int ins_mode; /* 0: append numbers, 1: reuse the lowest free one */
	int hstate;   /* CACHE_DIRTY_* and CACHE_STRINGS */
	int max_inst;
	int nentry; /* entries ever inserted */
	int hash_size;
	int key_attempts[CACHE_KEY_ATTEMPTS];

	struct cache_slab slab;
	uint32_t *order; /* refs */
	uint32_t count;
	uint32_t cap;
	uint32_t nsorted;
	uint32_t order_changes;     /* counts merges and reorganisations: walks look */
	struct cache_index by_inst; /* empty while numbered */
	struct cache_index by_name;
	struct cache_index by_key;

	bool numbered; /* the order is 0, 1, 2 …: no table is needed to find a number */
	int pinned;    /* while over 0 nothing is taken out: a purge is under way */
	int nactive;
	int ninactive;
	int highest;            /* instance number in the list, -1: none */
	int low_free;           /* all numbers below are in use */
	struct cache_walk walk; /* of PMDA_CACHE_WALK_* */
};

/* An empty cache that is not listed, and the end of one. */
void cache_init(struct cache *c, pmInDom indom);
void cache_done(struct cache *c);

/* The domain's cache, made if need be; NULL without memory. */
struct cache *cache_get(pmInDom indom);

/* The domain's cache if there is one. */
struct cache *cache_find(pmInDom indom);

/* The nth cache that was made, or NULL. */
struct cache *cache_nth(size_t n);

enum cache_match {
	CACHE_MATCH,
	CACHE_MATCH_BAD, /* equal up to the first space, different after it (12.2) */
};

/* The entry of a ref. */
static inline struct cache_entry *cache_entry(const struct cache *c, uint32_t ref)
{
	return cache_slab_at(&c->slab, ref);
}

/* Entries that are not EMPTY; NULL if there is none. */
struct cache_entry *cache_by_inst(const struct cache *c, int inst);
struct cache_entry *cache_by_name(const struct cache *c, const char *name,
				  enum cache_match *ret_match);
/* Brings what the question by a name will look at first closer to the processor. */
void cache_prefetch(const struct cache *c, const char *name);

/* Of several the one with the lowest instance. */
struct cache_entry *cache_by_key(const struct cache *c, const void *key, int key_len);

/*
 * Adds a name, INACTIVE, without a key, under a number of the cache's choice (inst < 0) or a given
 * one. *ret_entry is the new entry, valid until it is culled and taken out. 0; PM_ERR_INST if the
 * given number or the name is taken by another (then *ret_entry is that one); PM_ERR_GENERIC,
 * logged, for an unusable name or no number left; -ENOMEM with nothing changed.
 */
int cache_insert(struct cache *c, const char *name, int inst, struct cache_entry **ret_entry);

/* Makes room for n more instances; without memory for it they are added one by one. */
void cache_expect(struct cache *c, uint32_t n);

/* Keeps a copy of a key for an entry; key_len 0 takes the key away. 0 or -ENOMEM. */
int cache_set_key(struct cache *c, struct cache_entry *e, const void *key, int key_len);

/* Changes an entry's state and the counts of states. */
void cache_set_state(struct cache *c, struct cache_entry *e, int state);

/* Takes the EMPTY entries out, unless they are pinned. 0 or -ENOMEM with nothing changed. */
int cache_reorganise(struct cache *c);

#endif
