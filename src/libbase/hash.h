/*
 * hash - open addressing with the hash stored beside the entry.
 *
 * The table holds pointers it does not own. Keys live in the entries; the caller gives the hash
 * and, for keys that may collide, a comparison. Constant time at any size; never shrinks.
 */
#ifndef LIBBASE_HASH_H
#define LIBBASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint64_t hash;
	void *entry; /* NULL: free */
};

struct hash {
	struct hash_slot *slots;
	size_t count;
	size_t cap; /* 0 or a power of two */
};

#define HASH_INIT ((struct hash){0})

/* True if the entry has this key. */
typedef bool (*hash_eq)(const void *entry, const void *key);

void hash_done(struct hash *h);

/* First entry with this hash for which eq says yes (eq NULL: the hash decides); NULL if none. */
void *hash_find(const struct hash *h, uint64_t hash, hash_eq eq, const void *key);

/* Adds an entry (not NULL); duplicates are the caller's business. 0 or -ENOMEM. */
int hash_add(struct hash *h, uint64_t hash, void *entry);

/* Removes exactly this pointer; true if it was there. */
bool hash_del(struct hash *h, uint64_t hash, const void *entry);

/* Walks all entries: start with *pos = 0; NULL at the end. The table must not change during the
 * walk. */
void *hash_next(const struct hash *h, size_t *pos);

/* Hash functions: of bytes, and of one integer (so that small integers spread). */
uint64_t hash_bytes(const void *bytes, size_t len);

static inline uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0x9e3779b97f4a7c15u;
	return v ^ (v >> 29);
}

#endif
