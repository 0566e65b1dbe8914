/* hash - see hash.h. Linear probing; deletion shifts the following entries back. */
#include "libbase/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_MIN = 16 };

void hash_done(struct hash *h)
{
	free(h->slots);
	*h = HASH_INIT;
}

void *hash_find(const struct hash *h, uint64_t hash, hash_eq eq, const void *key)
{
	size_t i;

	if (h->cap == 0)
		return NULL;
	for (i = hash & (h->cap - 1); h->slots[i].entry != NULL; i = (i + 1) & (h->cap - 1)) {
		if (h->slots[i].hash == hash && (eq == NULL || eq(h->slots[i].entry, key)))
			return h->slots[i].entry;
	}
	return NULL;
}

static void hash_insert(struct hash_slot *slots, size_t cap, uint64_t hash, void *entry)
{
	size_t i = hash & (cap - 1);

	while (slots[i].entry != NULL)
		i = (i + 1) & (cap - 1);
	slots[i].hash = hash;
	slots[i].entry = entry;
}

static int hash_grow(struct hash *h)
{
	size_t cap = h->cap == 0 ? HASH_MIN : h->cap * 2;
	struct hash_slot *slots = calloc(cap, sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < h->cap; i++) {
		if (h->slots[i].entry != NULL)
			hash_insert(slots, cap, h->slots[i].hash, h->slots[i].entry);
	}
	free(h->slots);
	h->slots = slots;
	h->cap = cap;
	return 0;
}

int hash_add(struct hash *h, uint64_t hash, void *entry)
{
	if ((h->count + 1) * 4 > h->cap * 3) {
		int r = hash_grow(h);

		if (r < 0)
			return r;
	}
	hash_insert(h->slots, h->cap, hash, entry);
	h->count++;
	return 0;
}

bool hash_del(struct hash *h, uint64_t hash, const void *entry)
{
	size_t mask = h->cap - 1;
	size_t i, j;

	if (h->cap == 0)
		return false;
	for (i = hash & mask; h->slots[i].entry != entry; i = (i + 1) & mask) {
		if (h->slots[i].entry == NULL)
			return false;
	}
	for (j = (i + 1) & mask; h->slots[j].entry != NULL; j = (j + 1) & mask) {
		size_t home = h->slots[j].hash & mask;

		/* The entry at j may fill the gap at i unless its home is between the two. */
		if (((j - home) & mask) >= ((j - i) & mask)) {
			h->slots[i] = h->slots[j];
			i = j;
		}
	}
	h->slots[i].entry = NULL;
	h->count--;
	return true;
}

void *hash_next(const struct hash *h, size_t *pos)
{
	while (*pos < h->cap) {
		void *entry = h->slots[(*pos)++].entry;

		if (entry != NULL)
			return entry;
	}
	return NULL;
}

uint64_t hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325u ^ len;

	while (len >= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		h = (h ^ v) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
		p += 8;
		len -= 8;
	}
	while (len-- > 0)
		h = (h ^ *p++) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}
