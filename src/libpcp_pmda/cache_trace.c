/* cache_trace - see cache_trace.h. */
#include "libpcp_pmda/cache_trace.h"

#include <stdio.h>

#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/cache_dump.h"

static void begin(const char *who, const struct cache *c)
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
	begin("pmdaCache store", c);
	fprintf(stderr, "instance \"%s\" not in cache: flags=%d not allowed\n", name, flags);
}

void cache_trace_other_key(const struct cache *c, const struct cache_entry *e, const void *key,
			   int len)
{
	if (!pmDebugOptions.indom)
		return;
	begin("pmdaCacheStoreKey", c);
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
	begin("pmdaCacheStoreKey", c);
	fprintf(stderr, "instance %d ", e->inst);
	print_key_of(e);
	fprintf(stderr, " in cache, name \"%s\" does not match new entry \"%s\"\n", e->name, name);
}

void cache_trace_taken(const struct cache *c, const struct cache_entry *e, const char *name,
		       int inst)
{
	if (!pmDebugOptions.indom)
		return;
	begin(e->inst == inst ? "pmdaCache: store" : "pmdaCacheStoreKey", c);
	if (e->inst == inst)
		fprintf(stderr, "instance %d  in cache, name \"%s\" does not match new entry \"%s\"\n",
			e->inst, e->name, name);
	else
		fprintf(stderr, "instance \"%s\" in cache, id %d does not match new entry %d\n",
			e->name, e->inst, inst);
}

void cache_trace_no_key(const struct cache *c, const void *key, int len)
{
	if (!pmDebugOptions.indom)
		return;
	begin("pmdaCacheLookupKey", c);
	cache_dump_key(stderr, key, len);
	fprintf(stderr, ": no matching key in cache\n");
}
