/* cache - see cache.h. */
#include "libpcp_pmda/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libpcp_pmda/cache_print.h"

/* All caches of the process, by domain and in the order of their making. */
static struct {
	struct hash by_indom;
	struct cache **made;
	size_t count;
	struct cache *last; /* found last: most agents ask about one domain many times */
} caches;

/* ---- the caches ----------------------------------------------------------------------------- */

struct cache *cache_find(pmInDom indom)
{
	struct cache *c;

	if (caches.last != NULL && caches.last->indom == indom)
		return caches.last;
	c = hash_find(&caches.by_indom, hash_u64(indom), NULL, NULL);
	if (c != NULL)
		caches.last = c;
	return c;
}

struct cache *cache_nth(size_t n)
{
	return n < caches.count ? caches.made[n] : NULL;
}

static int cache_enlist(struct cache *c)
{
	struct cache **made = realloc(caches.made, (caches.count + 1) * sizeof(*made));
	int r;

	if (made == NULL)
		return -ENOMEM;
	caches.made = made;
	r = hash_add(&caches.by_indom, hash_u64(c->indom), c);
	if (r < 0)
		return r;
	caches.made[caches.count++] = c;
	return 0;
}

void cache_init(struct cache *c, pmInDom indom)
{
	*c = (struct cache){
	    .indom = indom,
	    .max_inst = INT32_MAX,
	    .hash_size = CACHE_HASH_SIZE,
	    .numbered = true,
	    .highest = -1,
	};
	cache_slab_init(&c->slab);
}

struct cache *cache_get(pmInDom indom)
{
	struct cache *c = cache_find(indom);

	if (c != NULL)
		return c;
	c = malloc(sizeof(*c));
	if (c == NULL)
		return NULL;
	cache_init(c, indom);
	if (cache_enlist(c) < 0) {
		free(c);
		return NULL;
	}
	return c;
}

/* ---- finding -------------------------------------------------------------------------------- */

static uint32_t match_len(const struct cache *c, const char *name)
{
	return (uint32_t)(c->hstate & CACHE_STRINGS ? strlen(name)
						    : (size_t)(strchrnul(name, ' ') - name));
}

static uint32_t name_hash(const char *name, size_t len)
{
	uint64_t h = hash_bytes(name, len);

	return (uint32_t)(h ^ h >> 32);
}

/* The next entry of a number, EMPTY ones too: start with *pos = -1; NULL: no more. */
static struct cache_entry *next_of_inst(const struct cache *c, int inst, int64_t *pos)
{
	uint32_t i = (uint32_t)inst, ref;

	if (c->numbered) {
		if (*pos >= 0 || i >= c->count)
			return NULL;
		*pos = i;
		return cache_entry(c, c->order[i]);
	}
	return cache_index_next(&c->by_inst, i, pos, &ref) ? cache_entry(c, ref) : NULL;
}

struct cache_entry *cache_by_inst(const struct cache *c, int inst)
{
	struct cache_entry *e;
	int64_t pos = -1;

	while ((e = next_of_inst(c, inst, &pos)) != NULL && e->state == PMDA_CACHE_EMPTY)
		;
	return e;
}

/* Is a number in the list, be it that of an EMPTY entry? */
static bool inst_listed(const struct cache *c, int inst)
{
	int64_t pos = -1;

	return next_of_inst(c, inst, &pos) != NULL;
}

/* The part up to the first space is known to be equal. */
static enum cache_match match_rest(const struct cache_entry *e, const char *rest)
{
	if (*rest == '\0' || strcmp(e->name + e->match_len, rest) == 0)
		return CACHE_MATCH;
	return CACHE_MATCH_BAD;
}

struct cache_entry *cache_by_name(const struct cache *c, const char *name,
				  enum cache_match *ret_match)
{
	uint32_t len = match_len(c, name);
	uint32_t hash = name_hash(name, len);
	int64_t pos = -1;
	uint32_t ref;

	while (cache_index_next(&c->by_name, hash, &pos, &ref)) {
		struct cache_entry *e = cache_entry(c, ref);

		if (e->state == PMDA_CACHE_EMPTY || e->match_len != len ||
		    memcmp(e->name, name, len) != 0)
			continue;
		*ret_match = match_rest(e, name + len);
		return e;
	}
	return NULL;
}

void cache_prefetch(const struct cache *c, const char *name)
{
	cache_index_prefetch(&c->by_name, name_hash(name, match_len(c, name)));
}

struct cache_entry *cache_by_key(const struct cache *c, const void *key, int key_len)
{
	uint32_t hash = cache_key_hash(key, key_len, 0);
	struct cache_entry *found = NULL;
	int64_t pos = -1;
	uint32_t ref;

	while (cache_index_next(&c->by_key, hash, &pos, &ref)) {
		struct cache_entry *e = cache_entry(c, ref);

		/* An entry whose key was replaced stays under its old one as well. */
		if (e->state == PMDA_CACHE_EMPTY || !cache_key_equal(e, key, key_len))
			continue;
		if (found == NULL || e->inst < found->inst)
			found = e;
	}
	return found;
}

/* ---- changing ------------------------------------------------------------------------------- */

void cache_set_state(struct cache *c, struct cache_entry *e, int state)
{
	c->nactive += (state == PMDA_CACHE_ACTIVE) - (e->state == PMDA_CACHE_ACTIVE);
	c->ninactive += (state == PMDA_CACHE_INACTIVE) - (e->state == PMDA_CACHE_INACTIVE);
	e->state = (uint8_t)state;
}

/* An entry that had this key before is still listed under it. */
static bool key_listed(const struct cache *c, uint32_t hash, uint32_t entry)
{
	int64_t pos = -1;
	uint32_t ref;

	while (cache_index_next(&c->by_key, hash, &pos, &ref)) {
		if (ref == entry)
			return true;
	}
	return false;
}

static int add_key(struct cache *c, struct cache_entry *e, const void *key, int key_len)
{
	uint32_t hash = cache_key_hash(key, key_len, 0);
	struct cache_key *copy = malloc(sizeof(*copy) + (size_t)key_len);

	if (copy == NULL || cache_index_reserve(&c->by_key, c->by_key.count + 1) < 0) {
		free(copy);
		return -ENOMEM;
	}
	copy->len = key_len;
	memcpy(copy->bytes, key, (size_t)key_len);
	free(e->key);
	e->key = copy;
	if (!key_listed(c, hash, e->ref))
		cache_index_put(&c->by_key, hash, e->ref);
	return 0;
}

int cache_set_key(struct cache *c, struct cache_entry *e, const void *key, int key_len)
{
	if (key_len > 0)
		return cache_key_equal(e, key, key_len) ? 0 : add_key(c, e, key, key_len);
	free(e->key);
	e->key = NULL;
	return 0;
}

static void index_clear(struct cache *c)
{
	cache_index_done(&c->by_inst);
	cache_index_done(&c->by_name);
	cache_index_done(&c->by_key);
}

void cache_done(struct cache *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		free(cache_entry(c, c->order[i])->key);
	index_clear(c);
	cache_slab_done(&c->slab);
	free(c->order);
}

static void index_insts(struct cache *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct cache_entry *e = cache_entry(c, c->order[i]);

		cache_index_put(&c->by_inst, (uint32_t)e->inst, e->ref);
	}
}

static void index_names(struct cache *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct cache_entry *e = cache_entry(c, c->order[i]);

		cache_index_put(&c->by_name, e->name_hash, e->ref);
		if (e->key != NULL)
			cache_index_put(&c->by_key, cache_key_hash(e->key->bytes, e->key->len, 0),
					e->ref);
	}
}

/* Room for one more entry under a number; the first that is out of its place makes the table. */
static int index_prepare(struct cache *c, int inst)
{
	int r = cache_index_reserve(&c->by_name, c->count + 1);

	if (r < 0 || (c->numbered && (uint32_t)inst == c->count))
		return r;
	r = cache_index_reserve(&c->by_inst, c->count + 1);
	if (r >= 0 && c->numbered) {
		index_insts(c);
		c->numbered = false;
	}
	return r;
}

static size_t entry_len(size_t name_len)
{
	return offsetof(struct cache_entry, name) + name_len + 1;
}

/* Needs a complete order. */
static void take_empty_out(struct cache *c)
{
	uint32_t n = 0;

	for (uint32_t pos = 0; pos < c->count; pos++) {
		struct cache_entry *e = cache_entry(c, c->order[pos]);

		if (e->state != PMDA_CACHE_EMPTY) {
			c->order[n++] = e->ref;
			continue;
		}
		if (e->inst < c->low_free)
			c->low_free = e->inst;
		free(e->key);
		cache_slab_free(&c->slab, e->ref, entry_len(strlen(e->name)));
	}
	cache_slab_tidy(&c->slab);
	c->count = n;
	c->nsorted = n;
	c->order_changes++;
	c->highest = n > 0 ? cache_entry(c, c->order[n - 1])->inst : -1;
}

int cache_reorganise(struct cache *c)
{
	struct cache fresh = {0};

	if (c->pinned > 0 || c->count == (uint32_t)c->nactive + (uint32_t)c->ninactive)
		return 0;
	if (cache_index_reserve(&fresh.by_inst, c->count) < 0 ||
	    cache_index_reserve(&fresh.by_name, c->count) < 0 ||
	    cache_index_reserve(&fresh.by_key, c->by_key.count) < 0) {
		index_clear(&fresh);
		return -ENOMEM;
	}
	cache_order_ready(c);
	take_empty_out(c);
	index_clear(c);
	c->numbered = false;
	c->by_inst = fresh.by_inst;
	c->by_name = fresh.by_name;
	c->by_key = fresh.by_key;
	index_insts(c);
	index_names(c);
	return 0;
}

/* ---- adding --------------------------------------------------------------------------------- */

void cache_expect(struct cache *c, uint32_t n)
{
	if (n > INT32_MAX - c->count)
		return;
	(void)cache_order_reserve(c, c->count + n);
	(void)cache_index_reserve(&c->by_name, c->count + n);
}

/* A number of the cache's choice (12.5): the next one, or in reuse mode the lowest free. */
static int choose_inst(struct cache *c)
{
	char indom[20];
	int64_t inst;

	if (c->ins_mode == 0) {
		if (c->highest < c->max_inst)
			return c->highest + 1;
		c->ins_mode = 1;
	}
	inst = c->low_free;
	while (inst <= c->max_inst && inst_listed(c, (int)inst))
		inst++;
	if (inst <= c->max_inst) {
		c->low_free = (int)inst;
		return (int)inst;
	}
	pmNotifyErr(LOG_ERR, "insert_cache: indom %s: too many instances",
		    pmInDomStr_r(c->indom, indom, sizeof(indom)));
	return PM_ERR_GENERIC;
}

static int check_name(const struct cache *c, const char *name, int inst)
{
	const char *wrong = NULL;
	char indom[20];

	if (name == NULL)
		wrong = "NULL";
	else if (*name == '\0' && !(c->hstate & CACHE_STRINGS))
		wrong = "zero length";
	if (wrong == NULL)
		return 0;
	pmNotifyErr(LOG_ERR, "insert_cache: indom %s: %s instance name for inst %d",
		    pmInDomStr_r(c->indom, indom, sizeof(indom)), wrong, inst);
	return PM_ERR_GENERIC;
}

/* Does this name match the entry (12.2)? */
static bool is_named(const struct cache *c, const struct cache_entry *e, const char *name)
{
	uint32_t len = match_len(c, name);

	return len == e->match_len && memcmp(e->name, name, len) == 0 &&
	       match_rest(e, name + len) == CACHE_MATCH;
}

/* The entry that has the given number or name already, or NULL. */
static struct cache_entry *find_taken(struct cache *c, const char *name, int inst, int *ret_sts)
{
	struct cache_entry *e = cache_by_inst(c, inst);
	enum cache_match match;

	*ret_sts = e != NULL && is_named(c, e, name) ? 0 : PM_ERR_INST;
	return e != NULL ? e : cache_by_name(c, name, &match);
}

static int cache_append(struct cache *c, const char *name, int inst, struct cache_entry **ret_entry)
{
	size_t len = strlen(name);
	struct cache_entry *e;
	uint32_t ref;

	if (cache_order_reserve(c, c->count + 1) < 0 || index_prepare(c, inst) < 0 ||
	    cache_slab_new(&c->slab, entry_len(len), &ref) < 0)
		return -ENOMEM;
	e = cache_entry(c, ref);
	*e = (struct cache_entry){.inst = inst, .ref = ref, .state = PMDA_CACHE_EMPTY};
	memcpy(e->name, name, len + 1);
	e->match_len = match_len(c, name);
	e->name_hash = name_hash(name, e->match_len);
	if (!c->numbered)
		cache_index_put(&c->by_inst, (uint32_t)inst, ref);
	cache_index_put(&c->by_name, e->name_hash, ref);
	c->order[c->count++] = ref;
	if (inst > c->highest) {
		if (c->nsorted == c->count - 1)
			c->nsorted = c->count;
		c->highest = inst;
	}
	cache_set_state(c, e, PMDA_CACHE_INACTIVE);
	*ret_entry = e;
	return 0;
}

/* The count of entries ever made decides when culled ones are removed (12.5); without memory they
 * stay. */
static void count_entry(struct cache *c)
{
	c->nentry++;
	if (c->nentry > 4 * c->hash_size)
		c->hash_size *= 2;
}

int cache_insert(struct cache *c, const char *name, int inst, struct cache_entry **ret_entry)
{
	struct cache_entry *taken = NULL;
	int r = check_name(c, name, inst);

	if (r < 0)
		return r;
	if (inst >= 0)
		taken = find_taken(c, name, inst, &r);
	else
		inst = choose_inst(c);
	if (inst < 0)
		return inst;
	if (taken != NULL) {
		if (r < 0)
			cache_trace_taken(c, taken, name, inst);
		*ret_entry = taken;
		return r;
	}
	if (c->nentry + 1 > 4 * c->hash_size)
		(void)cache_reorganise(c);
	r = cache_append(c, name, inst, ret_entry);
	if (r >= 0)
		count_entry(c);
	return r;
}
