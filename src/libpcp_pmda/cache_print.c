/* cache_print - see cache_print.h. */
#include "libpcp_pmda/cache_print.h"

#include <stdio.h>
#include <string.h>

#include "libpcp_pmda/cache.h"

void cache_dump_key(FILE *f, const void *key, int len)
{
	const unsigned char *bytes = key;

	fprintf(f, "[key=0x");
	for (int i = 0; i < len; i++)
		fprintf(f, "%02x", bytes[i]);
	fprintf(f, "]");
}

static void dump_entry(FILE *f, const struct cache_entry *e)
{
	const struct cache_key *key = e->key;

	if (e->state == PMDA_CACHE_EMPTY) {
		fprintf(f, "(%10d) %8s\n", e->inst, "empty");
		return;
	}
	fprintf(f, " %10d  %8s %p %s", e->inst,
		e->state == PMDA_CACHE_ACTIVE ? "active" : "inactive", e->private, e->name);
	if (strlen(e->name) > e->match_len)
		fprintf(f, " [match len=%d]", (int)e->match_len);
	if (key != NULL) {
		fprintf(f, " ");
		cache_dump_key(f, key->bytes, key->len);
	}
	fprintf(f, "\n");
}

static void dump_attempts(FILE *f, const struct cache *c)
{
	int total = 0;

	for (int i = 0; i < CACHE_KEY_ATTEMPTS; i++)
		total += c->key_attempts[i];
	if (total == 0)
		return;
	fprintf(f, "pmdaCacheStoreKey hash stats ...\n");
	for (int i = 0; i < CACHE_KEY_ATTEMPTS; i++) {
		if (c->key_attempts[i] == 0)
			continue;
		if (i == 0)
			fprintf(f, "hash once: %d times\n", c->key_attempts[i]);
		else
			fprintf(f, "%d hash attempts: %d times\n", i + 1, c->key_attempts[i]);
	}
}

static uint32_t inst_bucket(const struct cache_entry *e)
{
	return (uint32_t)e->inst;
}

static uint32_t name_bucket(const struct cache_entry *e)
{
	return cache_key_hash(e->name, (int)e->match_len, 0);
}

/* The highest first: that is the newest in most cases, which would be the head of a chain. */
static void dump_chains(FILE *f, const struct cache *c, const char *title,
			uint32_t (*bucket)(const struct cache_entry *e))
{
	fprintf(f, "%s\n", title);
	for (int b = 0; b < c->hash_size; b++) {
		fprintf(f, " [%03d]", b);
		for (uint32_t i = c->count; i > 0; i--) {
			const struct cache_entry *e = cache_entry(c, c->order[i - 1]);

			if ((bucket(e) & (uint32_t)(c->hash_size - 1)) != (uint32_t)b)
				continue;
			fprintf(f, " -> %d", e->inst);
			if (e->state == PMDA_CACHE_EMPTY)
				fputc('E', f);
			else if (e->state == PMDA_CACHE_INACTIVE)
				fputc('I', f);
		}
		fputc('\n', f);
	}
}

void cache_dump(FILE *f, struct cache *c, bool hashes)
{
	const struct cache_entry *e;
	char indom[20];

	fprintf(f, "pmdaCacheDump: indom %s: nentry=%d ins_mode=%d hstate=%d hsize=%d\n",
		pmInDomStr_r(c->indom, indom, sizeof(indom)), c->nentry, c->ins_mode, c->hstate,
		c->hash_size);
	for (uint32_t pos = 0; (e = cache_order_at(c, pos)) != NULL; pos++)
		dump_entry(f, e);
	if (!hashes)
		return;
	dump_attempts(f, c);
	dump_chains(f, c, "inst hash", inst_bucket);
	dump_chains(f, c, "name hash", name_bucket);
}

/* ---- Traces --------------------------------------------------------------------------------- */

static void trace_begin(const char *who, const struct cache *c)
{
	char indom[20];

	fprintf(stderr, "%s: indom %s: ", who, pmInDomStr_r(c->indom, indom, sizeof(indom)));
}

static void print_key_of(const struct cache_entry *e)
{
	if (e->key == NULL)
		fprintf(stderr, "[no key]");
	else
		cache_dump_key(stderr, e->key->bytes, e->key->len);
}

void cache_trace_absent(const struct cache *c, const char *name, int flags)
{
	if (!pmDebugOptions.indom)
		return;
	trace_begin("pmdaCache store", c);
	fprintf(stderr, "instance \"%s\" not in cache: flags=%d not allowed\n", name, flags);
}

void cache_trace_other_key(const struct cache *c, const struct cache_entry *e, const void *key,
			   int len)
{
	if (!pmDebugOptions.indom)
		return;
	trace_begin("pmdaCacheStoreKey", c);
	fprintf(stderr, "instance \"%s\" (%d) in cache ", e->name, e->inst);
	print_key_of(e);
	fprintf(stderr, " does not match new entry ");
	cache_dump_key(stderr, key, len);
	fprintf(stderr, "\n");
}

void cache_trace_other_name(const struct cache *c, const struct cache_entry *e, const char *name)
{
	if (!pmDebugOptions.indom)
		return;
	trace_begin("pmdaCacheStoreKey", c);
	fprintf(stderr, "instance %d ", e->inst);
	print_key_of(e);
	fprintf(stderr, " in cache, name \"%s\" does not match new entry \"%s\"\n", e->name, name);
}

void cache_trace_taken(const struct cache *c, const struct cache_entry *e, const char *name,
		       int inst)
{
	if (!pmDebugOptions.indom)
		return;
	trace_begin(e->inst == inst ? "pmdaCache: store" : "pmdaCacheStoreKey", c);
	if (e->inst == inst)
		fprintf(stderr,
			"instance %d  in cache, name \"%s\" does not match new entry \"%s\"\n",
			e->inst, e->name, name);
	else
		fprintf(stderr, "instance \"%s\" in cache, id %d does not match new entry %d\n",
			e->name, e->inst, inst);
}

void cache_trace_no_key(const struct cache *c, const void *key, int len)
{
	if (!pmDebugOptions.indom)
		return;
	trace_begin("pmdaCacheLookupKey", c);
	cache_dump_key(stderr, key, len);
	fprintf(stderr, ": no matching key in cache\n");
}
