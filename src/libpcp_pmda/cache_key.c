/* cache_key - see cache_key.h. */
#include "libpcp_pmda/cache_key.h"

#include <string.h>

#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/cache_trace.h"

/* clang-format off */
#define STEP(x, y, z, shifted) do { x -= y; x -= z; x ^= (shifted); } while (0)
#define MIX(a, b, c) do {			\
	STEP(a, b, c, c >> 13);			\
	STEP(b, c, a, a << 8);			\
	STEP(c, a, b, b >> 13);			\
	STEP(a, b, c, c >> 12);			\
	STEP(b, c, a, a << 16);			\
	STEP(c, a, b, b >> 5);			\
	STEP(a, b, c, c >> 3);			\
	STEP(b, c, a, a << 10);			\
	STEP(c, a, b, b >> 15);			\
} while (0)
/* clang-format on */

/* Up to n of 4 bytes, sign extended before they are shifted and added: part of the contract. */
static uint32_t word(const signed char *k, int n)
{
	uint32_t w = 0;

	for (int i = 0; i < n && i < 4; i++)
		w += (uint32_t)(int32_t)k[i] << (8 * i);
	return w;
}

uint32_t cache_key_hash(const void *key, int len, uint32_t initial)
{
	const signed char *k = key;
	uint32_t a = 0x9e3779b9, b = 0x9e3779b9, c = initial;
	int left = len;

	for (; left >= 12; left -= 12, k += 12) {
		a += word(k, 4);
		b += word(k + 4, 4);
		c += word(k + 8, 4);
		MIX(a, b, c);
	}
	c += (uint32_t)len;
	a += word(k, left);
	b += left > 4 ? word(k + 4, left - 4) : 0;
	c += left > 8 ? word(k + 8, left - 8) << 8 : 0; /* its lowest byte is the length's */
	MIX(a, b, c);
	return c;
}

bool cache_key_equal(const struct cache_entry *e, const void *key, int len)
{
	return e->key != NULL && e->key->len == len && memcmp(e->key->bytes, key, (size_t)len) == 0;
}

int cache_key_inst(struct cache *c, const char *name, const void *key, int len)
{
	uint32_t hash = 0;
	char indom[20];

	for (int attempt = 0; attempt < CACHE_KEY_ATTEMPTS; attempt++) {
		const struct cache_entry *e;
		int inst;

		hash = cache_key_hash(key, len, hash);
		inst = (int)(hash & 0x7fffffff);
		e = cache_by_inst(c, inst);
		if (e == NULL) {
			c->key_attempts[attempt]++;
			c->ins_mode = 1;
			return inst;
		}
		/* The name is not in the cache, so the number is another name's: with the same
		 * key that is a mistake, with another key a collision. */
		if (strcmp(e->name, name) == 0 || cache_key_equal(e, key, len)) {
			cache_trace_other_name(c, e, name);
			return PM_ERR_INST;
		}
	}
	pmNotifyErr(LOG_ERR,
		    "pmdaCacheStoreKey: indom %s: unable allocate a new id for instance \"%s\" "
		    "based on a key of %d bytes",
		    pmInDomStr_r(c->indom, indom, sizeof(indom)), name, len);
	return PM_ERR_GENERIC;
}
