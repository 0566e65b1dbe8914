/*
 * cache - the instances of one domain: numbers, names, keys, states (docs/spec/pmda.md 12).
 *
 * An entry and its name are one piece of memory that never moves: callers keep pointers to names.
 * Entries are found by number, name and key through tables of open addressing that keep the hash
 * beside the entry's ref, so every question is constant in the number of instances, and one by name
 * is two waits for memory.
 *
 * Culled entries (EMPTY) keep their place and their number until cache_reorganise takes them out.
 * One cache per domain, made by the first reference, for the life of the process. No locks.
 *
 * cache_parts.c has the memory, the indexes, the order and the keys that a cache is made of,
 * cache.c the cache, cache_calls.c the functions for agents, cache_file.c the file, cache_print.c
 * the text for people.
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

/* ---- Memory --------------------------------------------------------------------------------- */

/*
 * Memory of a cache's entries: pieces that never move, each named by 32 bits.
 *
 * Pieces are cut from chunks, small ones first. A freed piece goes to the list of its size, from
 * which the next piece of that size is taken. cache_slab_tidy frees chunks without pieces in use. A
 * piece that is longer than the sizes of the lists has a chunk of its own.
 *
 *     ref | chunk, 20 bits | unit of 8 bytes in it, 12 bits |
 */
enum {
	SLAB_UNIT = 8,                   /* bytes */
	SLAB_UNIT_BITS = 12,             /* a chunk has at most so many units */
	SLAB_CHUNKS_MAX = (1 << 20) - 1, /* so that no ref is UINT32_MAX */
	SLAB_SIZES = 64,                 /* lists: pieces of up to so many units */
};

#define SLAB_NONE UINT32_MAX

struct slab_chunk {
	char *mem;     /* NULL: this row is free */
	uint32_t live; /* pieces in use; of a free row, the next free one */
};

struct cache_slab {
	struct slab_chunk *chunks;
	uint32_t nchunks;
	uint32_t cap;
	uint32_t free_row;             /* + 1; 0: none */
	uint32_t current;              /* chunk that is cut from; SLAB_NONE: none */
	uint32_t used;                 /* units of it that are cut */
	uint32_t size;                 /* units that it has */
	uint32_t free[SLAB_SIZES + 1]; /* first piece of each size + 1; 0: none */
};

void cache_slab_init(struct cache_slab *slab);
void cache_slab_done(struct cache_slab *slab);

static inline void *cache_slab_at(const struct cache_slab *slab, uint32_t ref)
{
	return slab->chunks[ref >> SLAB_UNIT_BITS].mem +
	       (size_t)(ref & ((1u << SLAB_UNIT_BITS) - 1)) * SLAB_UNIT;
}

/* A piece of at least len bytes, aligned for anything of 8. 0 or -ENOMEM. */
int cache_slab_new(struct cache_slab *slab, size_t len, uint32_t *ret_ref);

/* Takes a piece back; len is what it was made with. */
void cache_slab_free(struct cache_slab *slab, uint32_t ref, size_t len);

/* Gives the chunks back in which no piece is in use. */
void cache_slab_tidy(struct cache_slab *slab);

/* ---- Index ---------------------------------------------------------------------------------- */

/*
 * From a 32-bit hash to refs of entries, by open addressing.
 *
 * Several entries may share a hash: a search goes on until the caller is content. Nothing is taken
 * out alone; an index is emptied and filled again.
 */
struct cache_index_slot {
	uint32_t hash;
	uint32_t entry; /* ref + 1; 0: free */
};

struct cache_index {
	struct cache_index_slot *slots;
	uint32_t cap; /* 0 or a power of two */
	uint32_t count;
	unsigned int shift; /* 32 - log2(cap) */
};

void cache_index_done(struct cache_index *ix);

/* Room for n entries in all. 0 or -ENOMEM. */
int cache_index_reserve(struct cache_index *ix, uint32_t n);

/* Adds an entry, for which there must be room. */
void cache_index_put(struct cache_index *ix, uint32_t hash, uint32_t entry);

/* Numbers that count up or come in strides spread as well as hashes do. */
static inline uint32_t cache_index_start(const struct cache_index *ix, uint32_t hash)
{
	return hash * 0x9e3779b1u >> ix->shift;
}

static inline void cache_index_prefetch(const struct cache_index *ix, uint32_t hash)
{
	if (ix->cap != 0)
		__builtin_prefetch(&ix->slots[cache_index_start(ix, hash)], 1);
}

/* The entries with a hash, one after the other: start with *pos = -1; false at the end. */
static inline bool cache_index_next(const struct cache_index *ix, uint32_t hash, int64_t *pos,
				    uint32_t *ret_entry)
{
	uint32_t i;

	if (ix->cap == 0)
		return false;
	i = *pos < 0 ? cache_index_start(ix, hash) : ((uint32_t)*pos + 1) & (ix->cap - 1);
	for (; ix->slots[i].entry != 0; i = (i + 1) & (ix->cap - 1)) {
		if (ix->slots[i].hash == hash) {
			*pos = i;
			*ret_entry = ix->slots[i].entry - 1;
			return true;
		}
	}
	return false;
}

/* ---- The cache ------------------------------------------------------------------------------ */

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

/* ---- The order ------------------------------------------------------------------------------ */

/*
 * The instances of a cache in ascending order: an array of refs. Instances that are added out of
 * order wait at its end and are merged in when the order is next needed.
 *
 *     order  | ascending by instance ........ | added since, unsorted |
 *            0                          nsorted                   count
 */

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

/* ---- Keys ----------------------------------------------------------------------------------- */

/*
 * Keys of instances, and the numbers made of them (docs/spec/pmda.md 12.4).
 *
 * The hash is the contract: an instance keeps its number over restarts and rebuilds because the
 * same key gives the same number everywhere.
 */
struct cache;
struct cache_entry;

/* Jenkins' "lookup2" of len bytes, taken as signed; initial is 0 or the previous attempt's hash. */
uint32_t cache_key_hash(const void *key, int len, uint32_t initial);

/* Has the entry exactly this key? */
bool cache_key_equal(const struct cache_entry *e, const void *key, int len);

/* ---- Walks (cache_calls.c) ------------------------------------------------------------------ */

/* A walk over the active instances; false if the domain has no cache; if there is no more. */
bool cache_walk_start(struct cache_walk *walk, pmInDom indom);
bool cache_walk_next(struct cache_walk *walk, int *ret_inst);

#endif
