/* repair_meta - see repair_inner.h. */
#include "libstore/repair_inner.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/timespec.h"
#include "libdisk/result_view.h"
#include "libstore/member.h"

struct metric {
	pmID pmid;
	pmInDom indom;
};

struct domain {
	pmInDom indom;
	uint64_t full; /* number of its last full record */
};

struct inst {
	uint64_t key;
	uint64_t full; /* after which full record it was there */
};

void damage_list_add(struct damage_list *d, uint64_t offset, uint64_t end)
{
	if (d->n < REGIONS_MAX)
		d->n++;
	d->at[d->n - 1] = (struct damage_region){offset, end, {0, 0}};
	d->count++;
}

void damage_list_stamp(struct damage_list *d, const struct timespec *stamp)
{
	for (size_t i = d->n; i > 0 && d->at[i - 1].next.tv_sec == 0; i--)
		d->at[i - 1].next = *stamp;
}

static uint64_t inst_key(pmInDom indom, int inst)
{
	return (uint64_t)indom << 32 | (uint32_t)inst;
}

static bool is_inst(const void *entry, const void *key)
{
	return ((const struct inst *)entry)->key == *(const uint64_t *)key;
}

static bool repair_is_domain(const void *entry, const void *key)
{
	return ((const struct domain *)entry)->indom == *(const pmInDom *)key;
}

static bool is_metric(const void *entry, const void *key)
{
	return ((const struct metric *)entry)->pmid == *(const pmID *)key;
}

static struct domain *find_domain(const struct repair_meta *meta, pmInDom indom)
{
	return hash_find(&meta->domains, hash_u64(indom), repair_is_domain, &indom);
}

static struct inst *find_inst(const struct repair_meta *meta, pmInDom indom, int inst)
{
	uint64_t key = inst_key(indom, inst);

	return hash_find(&meta->insts, hash_u64(key), is_inst, &key);
}

static bool has_inst(const struct repair_meta *meta, pmInDom indom, int inst)
{
	const struct domain *d = find_domain(meta, indom);
	const struct inst *i = find_inst(meta, indom, inst);

	return d != NULL && i != NULL && i->full == d->full;
}

static struct domain *get_domain(struct repair_meta *meta, pmInDom indom)
{
	struct domain *d = find_domain(meta, indom);

	if (d != NULL)
		return d;
	d = arena_calloc(&meta->mem, 1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->indom = indom;
	d->full = 1;
	return hash_add(&meta->domains, hash_u64(indom), d) == 0 ? d : NULL;
}

/* As of the full record full the domain has the instance; 0: it has not. */
static int set_inst(struct repair_meta *meta, pmInDom indom, int inst, uint64_t full)
{
	struct inst *i = find_inst(meta, indom, inst);

	if (i == NULL) {
		i = arena_alloc(&meta->mem, sizeof(*i));
		if (i == NULL)
			return -ENOMEM;
		i->key = inst_key(indom, inst);
		if (hash_add(&meta->insts, hash_u64(i->key), i) != 0)
			return -ENOMEM;
	}
	i->full = full;
	return 0;
}

static const struct metric *find_metric(const struct repair_meta *meta, pmID pmid)
{
	return hash_find(&meta->metrics, hash_u64(pmid), is_metric, &pmid);
}

static int add_metric(struct repair_meta *meta, const pmDesc *desc)
{
	struct metric *m;

	if (find_metric(meta, desc->pmid) != NULL)
		return 0;
	m = arena_alloc(&meta->mem, sizeof(*m));
	if (m == NULL)
		return -ENOMEM;
	*m = (struct metric){desc->pmid, desc->indom};
	return hash_add(&meta->metrics, hash_u64(desc->pmid), m);
}

static int add_moment(struct repair_meta *meta, uint64_t offset, const struct timespec *stamp,
		      bool indom)
{
	if (meta->nmoments == meta->cap) {
		size_t cap = meta->cap == 0 ? 64 : meta->cap * 2;
		struct meta_moment *moments =
		    reallocarray(meta->moments, cap, sizeof(*meta->moments));

		if (moments == NULL)
			return -ENOMEM;
		meta->moments = moments;
		meta->cap = cap;
	}
	meta->moments[meta->nmoments++] = (struct meta_moment){offset, *stamp, indom};
	damage_list_stamp(&meta->damage, stamp);
	return 0;
}

/* A record without instances says nothing: readers pass over it. */
static int repair_add_indom(struct repair_meta *meta, uint64_t offset, enum meta_type type,
			    const struct meta_indom *indom)
{
	struct domain *d = get_domain(meta, indom->indom);
	int r = d != NULL ? add_moment(meta, offset, &indom->stamp, true) : -ENOMEM;

	if (r == 0 && type != META_INDOM_DELTA && indom->numinst > 0)
		d->full++;
	for (uint32_t i = 0; i < indom->numinst && r == 0; i++)
		r = set_inst(meta, indom->indom, indom->insts[i].inst,
			     indom->insts[i].name.s != NULL ? d->full : 0);
	return r;
}

static int add_piece(struct repair_meta *meta, const struct scan_piece *piece)
{
	if (!piece->whole) {
		damage_list_add(&meta->damage, piece->offset, piece->end);
		return 0;
	}
	switch (piece->type) {
	case META_DESC:
		return add_metric(meta, &piece->body.desc.desc);
	case META_INDOM:
	case META_INDOM_V2:
	case META_INDOM_DELTA:
		return repair_add_indom(meta, piece->offset, piece->type, &piece->body.indom);
	case META_LABEL:
	case META_LABEL_V2:
		return add_moment(meta, piece->offset, &piece->body.label.stamp, false);
	default:
		return 0;
	}
}

int repair_meta_load(struct repair_meta *meta, const char *path, uint64_t limit)
{
	struct repair_scan scan;
	struct scan_piece piece;
	struct member *m;
	int r = member_open(path, &m);

	*meta = (struct repair_meta){.size = 0};
	if (r != 0)
		return r;
	r = repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_META);
	meta->label = scan.label;
	meta->size = scan.size;
	while (r == 0) {
		r = repair_scan_next(&scan, &piece);
		if (r <= 0 || piece.offset >= limit)
			break;
		r = add_piece(meta, &piece);
	}
	repair_scan_done(&scan);
	member_close(m);
	if (r < 0)
		repair_meta_done(meta);
	return r < 0 ? r : 0;
}

void repair_meta_done(struct repair_meta *meta)
{
	hash_done(&meta->metrics);
	hash_done(&meta->domains);
	hash_done(&meta->insts);
	arena_done(&meta->mem);
	free(meta->moments);
	meta->moments = NULL;
	meta->nmoments = meta->cap = 0;
}

static bool describes_set(const struct repair_meta *meta, const struct vset_view *set)
{
	const struct metric *m = find_metric(meta, set->pmid);

	if (m == NULL)
		return false;
	if (m->indom == PM_INDOM_NULL)
		return true;
	for (int32_t i = 0; i < set->numval; i++) {
		if (!has_inst(meta, m->indom, vset_view_inst(set, i)))
			return false;
	}
	return true;
}

bool repair_meta_describes(const struct repair_meta *meta, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;

	while (result_walk_next(view, &walk, &set) == 1) {
		if (!describes_set(meta, &set))
			return false;
	}
	return true;
}

struct timespec repair_meta_last(const struct repair_meta *meta)
{
	if (meta->nmoments == 0)
		return (struct timespec){0, 0};
	return meta->moments[meta->nmoments - 1].stamp;
}

uint64_t repair_meta_offset(const struct repair_meta *meta, const struct timespec *stamp,
			    bool *ret_indom)
{
	size_t low = 0, high = meta->nmoments;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (timespec_before(&meta->moments[mid].stamp, stamp))
			low = mid + 1;
		else
			high = mid;
	}
	*ret_indom = false;
	for (size_t i = low; i < meta->nmoments; i++) {
		if (timespec_before(stamp, &meta->moments[i].stamp))
			break;
		*ret_indom |= meta->moments[i].indom;
	}
	return low < meta->nmoments ? meta->moments[low].offset : meta->size;
}
