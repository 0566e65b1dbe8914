/* profile - see profile.h. */
#include "daemons/pmcd/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libwire/pdu.h"

void profile_pool_done(struct profile_pool *pool)
{
	hash_done(&pool->all);
}

static size_t content_len(const pmProfile *p)
{
	size_t n = 2 * sizeof(int);

	for (int i = 0; i < p->profile_len; i++)
		n += (3 + (size_t)p->profile[i].instances_len) * sizeof(int);
	return n;
}

static int compare_instances(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* Copies a list in ascending order, for binary search. */
static void put_sorted(int *to, const int *instances, int n)
{
	bool ascending = true;

	for (int i = 0; i < n; i++) {
		to[i] = instances[i];
		ascending = ascending && (i == 0 || instances[i - 1] <= instances[i]);
	}
	if (!ascending)
		qsort(to, (size_t)n, sizeof(*to), compare_instances);
}

static void content_put(int *to, const pmProfile *p)
{
	*to++ = p->state;
	*to++ = p->profile_len;
	for (int i = 0; i < p->profile_len; i++) {
		const pmInDomProfile *d = &p->profile[i];

		*to++ = (int)d->indom;
		*to++ = d->state;
		*to++ = d->instances_len;
		put_sorted(to, d->instances, d->instances_len);
		to += d->instances_len;
	}
}

/* The host form points into the content, which holds each list in one piece. */
static void profile_point(struct profile *f, pmInDomProfile *entries)
{
	int *from = (int *)f->content;

	f->p.state = from[0];
	f->p.profile_len = from[1];
	f->p.profile = entries;
	from += 2;
	for (int i = 0; i < f->p.profile_len; i++) {
		entries[i].indom = (pmInDom)from[0];
		entries[i].state = from[1];
		entries[i].instances_len = from[2];
		entries[i].instances = from + 3;
		from += 3 + entries[i].instances_len;
	}
}

static bool profile_equal(const void *entry, const void *key)
{
	const struct profile *a = entry;
	const struct profile *b = key;

	return a->len == b->len && memcmp(a->content, b->content, a->len) == 0;
}

static size_t entries_at(size_t len)
{
	size_t align = _Alignof(pmInDomProfile);

	return (offsetof(struct profile, content) + len + align - 1) / align * align;
}

static struct profile *profile_new(const pmProfile *p)
{
	size_t len = content_len(p);
	size_t at = entries_at(len);
	struct profile *f = malloc(at + (size_t)p->profile_len * sizeof(pmInDomProfile));

	if (f == NULL)
		return NULL;
	f->refs = 1;
	f->len = len;
	content_put((int *)f->content, p);
	f->hash = hash_bytes(f->content, len);
	profile_point(f, (pmInDomProfile *)((char *)f + at));
	return f;
}

struct profile *profile_get(struct profile_pool *pool, const pmProfile *p)
{
	struct profile *fresh = profile_new(p);
	struct profile *known;

	if (fresh == NULL)
		return NULL;
	known = hash_find(&pool->all, fresh->hash, profile_equal, fresh);
	if (known != NULL) {
		free(fresh);
		return profile_hold(known);
	}
	if (hash_add(&pool->all, fresh->hash, fresh) < 0) {
		free(fresh);
		return NULL;
	}
	return fresh;
}

struct profile *profile_hold(struct profile *profile)
{
	profile->refs++;
	return profile;
}

void profile_put(struct profile_pool *pool, struct profile *profile)
{
	if (profile == NULL || --profile->refs > 0)
		return;
	hash_del(&pool->all, profile->hash, profile);
	free(profile);
}

const pmInDomProfile *profile_entry(const struct profile *profile, pmInDom indom)
{
	for (int i = 0; profile != NULL && i < profile->p.profile_len; i++) {
		if (profile->p.profile[i].indom == indom)
			return &profile->p.profile[i];
	}
	return NULL;
}

bool profile_wants(const struct profile *profile, const pmInDomProfile *entry, int inst)
{
	if (entry == NULL)
		return profile == NULL || profile->p.state == PM_PROFILE_INCLUDE;
	return (bsearch(&inst, entry->instances, (size_t)entry->instances_len, sizeof(inst),
			compare_instances) != NULL) == (entry->state != PM_PROFILE_INCLUDE);
}

static struct profile_slot *slot_find(const struct profile_slots *s, int32_t slot)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->slots[i].slot == slot)
			return &s->slots[i];
	}
	return NULL;
}

static int slot_add(struct profile_slots *s, int32_t slot, struct profile *profile)
{
	struct profile_slot *more;

	if (s->count == PROFILE_SLOTS_MAX)
		return PM_ERR_TOOBIG;
	more = realloc(s->slots, (s->count + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	more[s->count].slot = slot;
	more[s->count].profile = profile;
	s->slots = more;
	s->count++;
	return 0;
}

int profile_slots_set(struct profile_slots *s, struct profile_pool *pool, int32_t slot,
		      struct profile *profile)
{
	struct profile_slot *old = slot_find(s, slot);
	size_t bytes = s->bytes + profile->len - (old != NULL ? old->profile->len : 0);
	int r;

	if (bytes > PROFILE_BYTES_MAX)
		return PM_ERR_TOOBIG;
	if (old == NULL) {
		r = slot_add(s, slot, profile);
		if (r < 0)
			return r;
	} else {
		profile_put(pool, old->profile);
		old->profile = profile;
	}
	profile_hold(profile);
	s->bytes = bytes;
	return 0;
}

struct profile *profile_slots_find(const struct profile_slots *s, int32_t slot)
{
	struct profile_slot *at = slot_find(s, slot);

	return at != NULL ? at->profile : NULL;
}

void profile_slots_done(struct profile_slots *s, struct profile_pool *pool)
{
	for (uint32_t i = 0; i < s->count; i++)
		profile_put(pool, s->slots[i].profile);
	free(s->slots);
	*s = (struct profile_slots){0};
}
