/*
 * cache_calls - the pmdaCache functions (docs/spec/pmda.md 12.3 to 12.7), a skin over cache.h.
 */
#include <errno.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/cache_file.h"
#include "libpcp_pmda/cache_print.h"

/* The cache of a domain, made if it is not there: every function but op CHECK does that. */
static int get_cache(pmInDom indom, struct cache **ret_cache)
{
	struct cache *c;

	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	c = cache_get(indom);
	if (c == NULL)
		return -ENOMEM;
	*ret_cache = c;
	return 0;
}

/* ---- store ---------------------------------------------------------------------------------- */

static int apply_flags(struct cache *c, struct cache_entry *e, int flags, void *private)
{
	switch (flags) {
	case PMDA_CACHE_ADD:
		cache_set_state(c, e, PMDA_CACHE_ACTIVE);
		e->private = private;
		e->stamp = 0;
		c->hstate |= CACHE_DIRTY_STAMP;
		break;
	case PMDA_CACHE_HIDE:
		cache_set_state(c, e, PMDA_CACHE_INACTIVE);
		break;
	case PMDA_CACHE_CULL:
		cache_set_state(c, e, PMDA_CACHE_EMPTY);
		c->hstate |= CACHE_DIRTY_INSTANCE;
		break;
	default:
		return -EINVAL;
	}
	return e->inst;
}

/* The entry of a name; for ADD a new one, under inst if that is >= 0, if there is none. */
static int store_entry(struct cache *c, int flags, const char *name, int inst,
		       struct cache_entry **ret_entry)
{
	enum cache_match match = CACHE_MATCH;
	int r;

	*ret_entry = name == NULL ? NULL : cache_by_name(c, name, &match);
	if (*ret_entry != NULL)
		return match == CACHE_MATCH_BAD ? -EINVAL : 0;
	if (flags != PMDA_CACHE_ADD) {
		cache_trace_absent(c, name == NULL ? "" : name, flags);
		return PM_ERR_INST;
	}
	r = cache_insert(c, name, inst, ret_entry);
	if (r >= 0)
		c->hstate |= CACHE_DIRTY_INSTANCE;
	return r;
}

int pmdaCacheStore(pmInDom indom, int flags, const char *name, void *private)
{
	struct cache_entry *e;
	struct cache *c;
	int r = get_cache(indom, &c);

	if (r < 0)
		return r;
	r = store_entry(c, flags, name, -1, &e);
	if (r < 0)
		return r;
	if (flags == PMDA_CACHE_ADD)
		(void)cache_set_key(c, e, NULL, 0);
	return apply_flags(c, e, flags, private);
}

/* Without a key the bytes of the name are the key (12.4). */
static void effective_key(const char *name, const void **key, int *len)
{
	if (*len >= 1 && *key != NULL)
		return;
	*key = name == NULL ? "" : name;
	*len = name == NULL ? 0 : (int)strlen(name);
}

/*
 * The number for a name that is not in the cache yet: >= 0, PM_ERR_INST if the key or the name
 * belongs to another instance, PM_ERR_GENERIC, logged, if all attempts met others' numbers.
 * Counts the attempts and turns reuse mode on.
 */
static int cache_key_inst(struct cache *c, const char *name, const void *key, int len)
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

int pmdaCacheStoreKey(pmInDom indom, int flags, const char *name, int keylen, const void *key,
		      void *private)
{
	struct cache_entry *e = NULL;
	enum cache_match match;
	struct cache *c;
	int inst = -1, r;

	if (flags != PMDA_CACHE_ADD)
		return pmdaCacheStore(indom, flags, name, private);
	r = get_cache(indom, &c);
	if (r < 0)
		return r;
	effective_key(name, &key, &keylen);
	if (name != NULL)
		e = cache_by_name(c, name, &match);
	if (e != NULL && !cache_key_equal(e, key, keylen)) {
		cache_trace_other_key(c, e, key, keylen);
		return PM_ERR_INST;
	}
	if (e == NULL && name != NULL) {
		inst = cache_key_inst(c, name, key, keylen);
		if (inst < 0)
			return inst;
	}
	r = store_entry(c, flags, name, inst, &e);
	if (r < 0)
		return r;
	r = cache_set_key(c, e, key, keylen);
	if (r >= 0)
		return apply_flags(c, e, flags, private);
	if (inst >= 0)
		cache_set_state(c, e, PMDA_CACHE_EMPTY); /* new, and never without its key */
	return r;
}

/* ---- look up -------------------------------------------------------------------------------- */

int pmdaCacheLookup(pmInDom indom, int inst, char **name, void **private)
{
	const struct cache_entry *e;
	struct cache *c;
	int r = get_cache(indom, &c);

	if (r < 0)
		return r;
	e = cache_by_inst(c, inst);
	if (e == NULL)
		return PM_ERR_INST;
	if (name != NULL)
		*name = (char *)e->name;
	if (private != NULL)
		*private = e->private;
	return e->state;
}

int pmdaCacheLookupName(pmInDom indom, const char *name, int *inst, void **private)
{
	const struct cache_entry *e;
	enum cache_match match;
	struct cache *c;
	int r = get_cache(indom, &c);

	if (r < 0)
		return r;
	e = name == NULL ? NULL : cache_by_name(c, name, &match);
	if (e == NULL)
		return PM_ERR_INST;
	if (inst != NULL)
		*inst = e->inst;
	if (private != NULL)
		*private = e->private;
	return e->state;
}

int pmdaCacheLookupKey(pmInDom indom, const char *name, int keylen, const void *key, char **oname,
		       int *inst, void **private)
{
	const struct cache_entry *e;
	struct cache *c;
	int r = get_cache(indom, &c);

	if (r < 0)
		return r;
	effective_key(name, &key, &keylen);
	e = cache_by_key(c, key, keylen);
	if (e == NULL) {
		cache_trace_no_key(c, key, keylen);
		return PM_ERR_INST;
	}
	if (oname != NULL)
		*oname = (char *)e->name;
	if (inst != NULL)
		*inst = e->inst;
	if (private != NULL)
		*private = e->private;
	return e->state;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Every entry in one of the states of from (bits 1 << state) goes to another. Returns how many. */
static int set_all(struct cache *c, unsigned int from, int to)
{
	int n = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		struct cache_entry *e = cache_entry(c, c->order[i]);

		if (!(from & 1u << e->state))
			continue;
		cache_set_state(c, e, to);
		n++;
	}
	return n;
}

static int op_save(struct cache *c)
{
	return cache_file_save(c, CACHE_DIRTY_INSTANCE);
}

static int op_sync(struct cache *c)
{
	return cache_file_save(c, CACHE_DIRTY_INSTANCE | CACHE_DIRTY_STAMP);
}

static int op_strings(struct cache *c)
{
	if (c->nentry > 0)
		return -E2BIG;
	c->hstate |= CACHE_STRINGS;
	return 0;
}

static int op_active(struct cache *c)
{
	return set_all(c, 1u << PMDA_CACHE_INACTIVE, PMDA_CACHE_ACTIVE);
}

static int op_inactive(struct cache *c)
{
	return set_all(c, 1u << PMDA_CACHE_ACTIVE, PMDA_CACHE_INACTIVE);
}

static int op_cull(struct cache *c)
{
	int n = set_all(c, 1u << PMDA_CACHE_ACTIVE | 1u << PMDA_CACHE_INACTIVE, PMDA_CACHE_EMPTY);

	if (n > 0)
		c->hstate |= CACHE_DIRTY_INSTANCE;
	return n;
}

static int op_size(struct cache *c)
{
	return c->nentry;
}

static int op_size_active(struct cache *c)
{
	return c->nactive;
}

static int op_size_inactive(struct cache *c)
{
	return c->ninactive;
}

static int op_reuse(struct cache *c)
{
	c->ins_mode = 1;
	return 0;
}

static int op_rewind(struct cache *c)
{
	cache_walk_start(&c->walk, c->indom);
	return 0;
}

static int op_next(struct cache *c)
{
	int inst;

	if (c->walk.cache == NULL)
		op_rewind(c);
	return cache_walk_next(&c->walk, &inst) ? inst : -1;
}

static int op_dump(struct cache *c)
{
	cache_dump(stderr, c, false);
	return 0;
}

static int op_dump_all(struct cache *c)
{
	cache_dump(stderr, c, true);
	return 0;
}

static int (*const ops[])(struct cache *c) = {
    [PMDA_CACHE_LOAD] = cache_file_load,
    [PMDA_CACHE_CULL] = op_cull,
    [PMDA_CACHE_SAVE] = op_save,
    [PMDA_CACHE_STRINGS] = op_strings,
    [PMDA_CACHE_ACTIVE] = op_active,
    [PMDA_CACHE_INACTIVE] = op_inactive,
    [PMDA_CACHE_SIZE] = op_size,
    [PMDA_CACHE_SIZE_ACTIVE] = op_size_active,
    [PMDA_CACHE_SIZE_INACTIVE] = op_size_inactive,
    [PMDA_CACHE_REUSE] = op_reuse,
    [PMDA_CACHE_WALK_REWIND] = op_rewind,
    [PMDA_CACHE_WALK_NEXT] = op_next,
    [PMDA_CACHE_REORG] = cache_reorganise,
    [PMDA_CACHE_SYNC] = op_sync,
    [PMDA_CACHE_DUMP] = op_dump,
    [PMDA_CACHE_DUMP_ALL] = op_dump_all,
};

int pmdaCacheOp(pmInDom indom, int op)
{
	struct cache *c;
	int r;

	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	if (op == PMDA_CACHE_CHECK)
		return cache_find(indom) != NULL;
	r = get_cache(indom, &c);
	if (r < 0)
		return r;
	if (op < 0 || (size_t)op >= ARRAY_SIZE(ops) || ops[op] == NULL)
		return -EINVAL;
	return ops[op](c);
}

/* Culls an entry. The callback gets its private pointer, and may use the cache and add to it. */
static void purge_entry(struct cache *c, struct cache_entry *e, void (*callback)(void *))
{
	void *private = e->private;

	cache_set_state(c, e, PMDA_CACHE_EMPTY);
	if (callback == NULL || private == NULL)
		return;
	e->private = NULL;
	callback(private);
}

int pmdaCachePurgeCallback(pmInDom indom, time_t recent, void (*callback)(void *))
{
	time_t oldest = time(NULL) - recent;
	struct cache_entry *e;
	uint32_t pos = 0;
	struct cache *c;
	int n = 0, r = get_cache(indom, &c);

	if (r < 0)
		return r;
	c->pinned++;
	while ((e = cache_order_at(c, pos++)) != NULL) {
		uint32_t changes = c->order_changes;

		/* Entries without a stamp are in use; EMPTY ones count again (12.7). */
		if (e->stamp == 0 || e->stamp >= oldest)
			continue;
		n++;
		purge_entry(c, e, callback);
		if (cache_order_changes(c) != changes)
			pos = cache_order_behind(c, e->inst);
	}
	c->pinned--;
	if (n > 0)
		c->hstate |= CACHE_DIRTY_INSTANCE;
	return n;
}

int pmdaCachePurge(pmInDom indom, time_t recent)
{
	return pmdaCachePurgeCallback(indom, recent, NULL);
}

int pmdaCacheResize(pmInDom indom, int max)
{
	struct cache *c;
	int r = get_cache(indom, &c);

	if (r < 0)
		return r;
	if (max < 0)
		return PM_ERR_SIGN;
	if (c->highest > max)
		return PM_ERR_TOOBIG;
	c->max_inst = max;
	c->hstate |= CACHE_DIRTY_STAMP;
	return 0;
}

/* ---- Walks ---------------------------------------------------------------------------------- */

bool cache_walk_start(struct cache_walk *walk, pmInDom indom)
{
	walk->cache = cache_find(indom);
	if (walk->cache == NULL)
		return false;
	walk->pos = 0;
	walk->last = -1;
	walk->changes = walk->cache->order_changes;
	return true;
}

bool cache_walk_next(struct cache_walk *walk, int *ret_inst)
{
	struct cache *c = walk->cache;

	cache_order_ready(c);
	if (walk->changes != c->order_changes) {
		walk->pos = walk->last < 0 ? 0 : cache_order_behind(c, walk->last);
		walk->changes = c->order_changes;
	}
	while (walk->pos < c->count) {
		const struct cache_entry *e = cache_entry(c, c->order[walk->pos++]);

		if (e->state == PMDA_CACHE_ACTIVE) {
			walk->last = e->inst;
			*ret_inst = e->inst;
			return true;
		}
	}
	return false;
}

/* ---- Dumps ---------------------------------------------------------------------------------- */

void __pmdaCacheDump(FILE *f, pmInDom indom, int do_hash)
{
	struct cache *c = cache_find(indom);

	if (c != NULL)
		cache_dump(f, c, do_hash != 0);
}

void __pmdaCacheDumpAll(FILE *f, int do_hash)
{
	struct cache *c;

	for (size_t i = 0; (c = cache_nth(i)) != NULL; i++)
		cache_dump(f, c, do_hash != 0);
}
