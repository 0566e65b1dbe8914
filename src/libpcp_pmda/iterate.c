/* iterate - see iterate.h. */
#include "libpcp_pmda/iterate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/ext.h"

enum {
	FILTER_LINEAR_MAX = 8, /* up to this many listed instances a plain search is quickest */
	FILTER_NEAR = 4,       /* steps from the last place before halving */
};

static const pmInDomProfile *profile_entry(const pmProfile *profile, pmInDom indom)
{
	for (int i = 0; i < profile->profile_len; i++) {
		if (profile->profile[i].indom == indom)
			return &profile->profile[i];
	}
	return NULL;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static bool is_ascending(const int *list, int n)
{
	for (int i = 1; i < n; i++) {
		if (list[i - 1] > list[i])
			return false;
	}
	return true;
}

/* Long lists are searched in order; without memory for a sorted copy the plain search remains. */
static void filter_sort(struct profile_filter *f)
{
	size_t bytes = (size_t)f->n * sizeof(int);

	if (f->n <= FILTER_LINEAR_MAX)
		return;
	if (!is_ascending(f->list, f->n)) {
		f->own = malloc(bytes);
		if (f->own == NULL)
			return;
		memcpy(f->own, f->list, bytes);
		qsort(f->own, (size_t)f->n, sizeof(int), compare_ints);
		f->list = f->own;
	}
	f->sorted = true;
}

static void filter_init(struct profile_filter *f, const pmProfile *profile, pmInDom indom)
{
	const pmInDomProfile *entry;

	*f = (struct profile_filter){0};
	if (profile == NULL) {
		f->all = true;
		return;
	}
	entry = profile_entry(profile, indom);
	if (entry == NULL || entry->instances_len == 0) {
		int state = entry == NULL ? profile->state : entry->state;

		f->all = state == PM_PROFILE_INCLUDE;
		f->none = !f->all;
		return;
	}
	f->listed_pass = entry->state != PM_PROFILE_INCLUDE;
	f->list = entry->instances;
	f->n = entry->instances_len;
	filter_sort(f);
}

/* The first place from lo on whose instance is not below inst. */
static int place_from(const struct profile_filter *f, int lo, int inst)
{
	int hi = f->n;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (f->list[mid] < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Most walks ascend, so the place is that of the last one or a little after it. */
static bool listed_in_order(struct profile_filter *f, int inst)
{
	int at = f->at;

	if (at > 0 && f->list[at - 1] >= inst)
		at = place_from(f, 0, inst);
	for (int i = 0; i < FILTER_NEAR && at < f->n && f->list[at] < inst; i++)
		at++;
	if (at < f->n && f->list[at] < inst)
		at = place_from(f, at, inst);
	f->at = at;
	return at < f->n && f->list[at] == inst;
}

static bool filter_listed(struct profile_filter *f, int inst)
{
	if (f->sorted)
		return listed_in_order(f, inst);
	for (int i = 0; i < f->n; i++) {
		if (f->list[i] == inst)
			return true;
	}
	return false;
}

static inline bool filter_passes(struct profile_filter *f, int inst)
{
	if (f->all)
		return true;
	return !f->none && filter_listed(f, inst) == f->listed_pass;
}

const pmdaIndom *iterate_table(const pmdaExt *ext, pmInDom indom)
{
	for (int i = 0; i < ext->e_nindoms; i++) {
		if (ext->e_indoms[i].it_indom == indom)
			return &ext->e_indoms[i];
	}
	return NULL;
}

static void trace_start(pmInDom indom, int ordinal)
{
	char name[20];

	fprintf(stderr, "__pmdaStartInst(indom=%s) e_ordinal=%d\n",
		pmInDomStr_r(indom, name, sizeof(name)), ordinal);
}

static void trace_next(const struct iterate *it, int inst)
{
	char name[20];

	fprintf(stderr, "__pmdaNextInst(indom=%s) -> %d e_ordinal=%d%s\n",
		pmInDomStr_r(it->indom, name, sizeof(name)), inst, it->pos,
		it->kind == ITERATE_CACHE ? " (cache)" : "");
}

static void start_domain(struct iterate *it, const pmdaExt *ext)
{
	if (cache_walk_start(&it->walk, it->indom)) {
		it->kind = ITERATE_CACHE;
	} else {
		it->table = iterate_table(ext, it->indom);
		if (it->table == NULL)
			return;
		it->kind = ITERATE_TABLE;
	}
	filter_init(&it->filter, ext->e_prof, it->indom);
	it->plain = it->kind == ITERATE_TABLE && it->filter.all && !pmDebugOptions.indom;
}

void iterate_start(struct iterate *it, pmInDom indom, const pmdaExt *ext)
{
	it->kind = ITERATE_NONE;
	it->plain = false;
	it->indom = indom;
	it->pos = 0;
	it->filter.own = NULL;
	if (indom == PM_INDOM_NULL)
		it->kind = ITERATE_SINGLE;
	else
		start_domain(it, ext);
	if (pmDebugOptions.indom)
		trace_start(indom, it->kind == ITERATE_TABLE || it->kind == ITERATE_CACHE ? 0 : -1);
}

static bool next_single(struct iterate *it, int *ret_inst)
{
	if (it->pos > 0)
		return false;
	it->pos = 1;
	*ret_inst = 0;
	return true;
}

static bool next_in_table(struct iterate *it, int *ret_inst)
{
	while (it->pos < it->table->it_numinst) {
		int inst = it->table->it_set[it->pos++].i_inst;

		if (filter_passes(&it->filter, inst)) {
			*ret_inst = inst;
			return true;
		}
	}
	return false;
}

static bool next_in_cache(struct iterate *it, int *ret_inst)
{
	int inst;

	while (cache_walk_next(&it->walk, &inst)) {
		it->pos++;
		if (filter_passes(&it->filter, inst)) {
			*ret_inst = inst;
			return true;
		}
	}
	return false;
}

bool iterate_next_slow(struct iterate *it, int *ret_inst)
{
	bool more;

	switch (it->kind) {
	case ITERATE_SINGLE:
		more = next_single(it, ret_inst);
		break;
	case ITERATE_TABLE:
		more = next_in_table(it, ret_inst);
		break;
	case ITERATE_CACHE:
		more = next_in_cache(it, ret_inst);
		break;
	default:
		return false;
	}
	if (more && pmDebugOptions.indom && it->kind != ITERATE_SINGLE)
		trace_next(it, *ret_inst);
	if (!more) {
		it->kind = ITERATE_NONE;
		it->plain = false;
	}
	return more;
}

void iterate_done(struct iterate *it)
{
	free(it->filter.own);
	it->filter.own = NULL;
	it->kind = ITERATE_NONE;
	it->plain = false;
}

int __pmdaCntInst(pmInDom indom, pmdaExt *ext)
{
	const pmdaIndom *table;
	char indom_text[20];
	int n = 0;

	if (indom == PM_INDOM_NULL)
		return 1;
	table = iterate_table(ext, indom);
	if (pmdaCacheOp(indom, PMDA_CACHE_CHECK) == 1) {
		n = pmdaCacheOp(indom, PMDA_CACHE_SIZE_ACTIVE);
		logged_forget(&ext_of(ext)->logged, LOGGED_INDOM, indom);
	} else if (table != NULL) {
		n = table->it_numinst;
		logged_forget(&ext_of(ext)->logged, LOGGED_INDOM, indom);
	} else {
		if (logged_is_new(&ext_of(ext)->logged, LOGGED_INDOM, indom, LOGGED_UNDEFINED))
			pmNotifyErr(LOG_WARNING, "__pmdaCntInst: unknown indom %s",
				    pmInDomStr_r(indom, indom_text, sizeof(indom_text)));
	}
	if (pmDebugOptions.indom)
		fprintf(stderr, "__pmdaCntInst(indom=%s) -> %d\n",
			pmInDomStr_r(indom, indom_text, sizeof(indom_text)), n);
	return n;
}

void __pmdaStartInst(pmInDom indom, pmdaExt *ext)
{
	struct ext *own = ext_of(ext);
	struct iterate *walk = &own->walk;

	iterate_done(walk);
	iterate_start(walk, indom, ext);
	ext->e_ordinal = -1;
	ext->e_singular = -1;
	if (walk->kind == ITERATE_SINGLE)
		ext->e_singular = 0;
	if (walk->kind == ITERATE_TABLE || walk->kind == ITERATE_CACHE)
		ext->e_ordinal = 0;
	if (walk->kind == ITERATE_TABLE)
		ext->e_idp = (pmdaIndom *)walk->table;
	if (walk->kind == ITERATE_CACHE) {
		own->walk_indom.it_indom = indom;
		ext->e_idp = &own->walk_indom;
	}
}

int __pmdaNextInst(int *inst, pmdaExt *ext)
{
	struct iterate *walk = &ext_of(ext)->walk;
	enum iterate_kind kind = walk->kind;

	if (!iterate_next(walk, inst)) {
		iterate_done(walk);
		ext->e_singular = -1;
		ext->e_ordinal = -1;
		return 0;
	}
	if (kind == ITERATE_SINGLE) {
		ext->e_singular = -1;
		return 1;
	}
	ext->e_ordinal = walk->pos;
	return 1;
}
