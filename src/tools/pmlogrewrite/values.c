/*
 * values - rewrites the values of a record according to a plan, and the parameters inside event
 * records.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libdisk/result_view.h"
#include "libvalue/value_block.h"
#include "tools/archive/names.h"
#include "tools/pmlogrewrite/plan.h"

static int events_rewrite(struct values *v, pmValueSet *set);

/*
 * A set is copied. Then the changes of its metric are applied in this order: instances are deleted;
 * one value is picked, or computed; instances are renumbered; numbers are scaled and converted; the
 * parameters of event records are rewritten.
 */

/* The set of a metric that is rewritten. */
struct work {
	struct values *v;
	const struct plan_metric *m;
	pmValueSet *set;
};

void values_begin(struct values *v, const struct plan *plan)
{
	*v = (struct values){.plan = plan};
	for (size_t i = 0; i < plan->nmetrics; i++)
		v->any = v->any || (plan->metrics[i].flags & PLAN_VALUES) != 0;
}

void values_end(struct values *v)
{
	arena_done(&v->mem);
}

/* Event records may have parameters of metrics that change. */
static bool is_touched(const struct plan_metric *m)
{
	return m != NULL &&
	       ((m->flags & PLAN_VALUES) != 0 || value_type_is_event((uint32_t)m->old->desc.type));
}

bool values_touch(const struct values *v, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;

	if (!v->any)
		return false;
	while (result_walk_next(view, &walk, &set) > 0) {
		const struct plan_metric *m = plan_metric(v->plan, set.pmid);

		if (is_touched(m))
			return true;
	}
	return false;
}

/* The observation of a domain at the time of the record: metadata has been written up to there. */
static const struct archive_indom *held(const struct plan_domain *d)
{
	return d->given > 0 ? d->seen[d->given - 1] : NULL;
}

static const struct plan_inst *values_find(const struct plan_domain *d, int inst)
{
	return plan_inst(d, inst, held(d));
}

static void expunge(pmValueSet *set, const struct plan_domain *d)
{
	int n = 0;

	for (int i = 0; i < set->numval; i++) {
		const struct plan_inst *inst = values_find(d, set->vlist[i].inst);

		if (inst == NULL || !inst->deleted)
			set->vlist[n++] = set->vlist[i];
	}
	set->numval = n;
}

static void values_renumber(pmValueSet *set, const struct plan_domain *d)
{
	for (int i = 0; i < set->numval; i++) {
		const struct plan_inst *inst = values_find(d, set->vlist[i].inst);

		if (inst != NULL)
			set->vlist[i].inst = inst->id;
	}
}

static int values_change(struct work *w)
{
	const struct plan_metric *m = w->m;
	const struct plan_domain *from = plan_domain(w->v->plan, m->old->desc.indom);
	bool many = m->now.indom != PM_INDOM_NULL;
	int sts = 0;

	if ((m->flags & PLAN_OUTPUT) && w->set->numval > 0)
		sts = numbers_pick(w->v, m, w->set);
	if (sts >= 0 && many && from != NULL && from->changed && !from->duplicate)
		expunge(w->set, from);
	if (sts >= 0 && many && m->map != NULL && m->map->changed) {
		if (m->map != from || from->duplicate)
			expunge(w->set, m->map);
		values_renumber(w->set, m->map);
	}
	if (sts >= 0 && (m->flags & (PLAN_TYPE | PLAN_RESCALE)))
		sts = numbers_change(w->v, m, w->set);
	if (sts >= 0 && value_type_is_event((uint32_t)m->old->desc.type) &&
	    w->set->valfmt != PM_VAL_INSITU)
		sts = events_rewrite(w->v, w->set);
	if (w->set->numval == 0)
		w->set->valfmt = PM_VAL_INSITU;
	return sts;
}

/* Returns 1 and a new set; 0: the set is left out. */
static int rewrite_set(struct values *v, const struct plan_metric *m, const pmValueSet *in,
		       pmValueSet **ret_set)
{
	size_t n = in->numval > 1 ? (size_t)in->numval : 1;
	size_t len = offsetof(pmValueSet, vlist) + n * sizeof(pmValue);
	struct work w = {.v = v, .m = m};
	int sts;

	if (m->flags & PLAN_DELETE)
		return 0;
	w.set = arena_calloc(&v->mem, 1, len > sizeof(*w.set) ? len : sizeof(*w.set));
	if (w.set == NULL)
		return -ENOMEM;
	w.set->pmid = m->now.pmid;
	w.set->numval = in->numval;
	*ret_set = w.set;
	if (in->numval <= 0)
		return 1;
	w.set->valfmt = in->valfmt;
	memcpy(w.set->vlist, in->vlist, n * sizeof(pmValue));
	sts = values_change(&w);
	return sts < 0 ? sts : 1;
}

/*
 * True if another metric that became the same one is in the record; the first with values is kept.
 */
static bool is_doubled(pmValueSet **sets, int n, const pmValueSet *set)
{
	for (int i = 0; i < n; i++) {
		if (sets[i]->pmid != set->pmid)
			continue;
		if (sets[i]->numval <= 0)
			sets[i] = (pmValueSet *)set;
		return true;
	}
	return false;
}

int values_rewrite(struct values *v, const pmHighResResult *in, pmValueSet ***ret_sets)
{
	pmValueSet **sets;
	int n = 0;

	arena_reset(&v->mem);
	sets = arena_calloc(&v->mem, (size_t)in->numpmid + 1, sizeof(*sets));
	if (sets == NULL)
		return -ENOMEM;
	for (int i = 0; i < in->numpmid; i++) {
		const struct plan_metric *m = plan_metric(v->plan, in->vset[i]->pmid);
		int sts = 1;

		sets[n] = in->vset[i];
		if (is_touched(m))
			sts = rewrite_set(v, m, in->vset[i], &sets[n]);
		if (sts < 0)
			return sts;
		if (sts > 0 && m != NULL && (m->flags & PLAN_PMID) &&
		    is_doubled(sets, n, sets[n])) {
			v->doubled = true;
			sts = 0;
		}
		n += sts;
	}
	*ret_sets = sets;
	return n;
}

/*
 * events - applies the rules for metrics to parameters inside event records.
 *
 * A parameter has no instance, so it can only be deleted, renumbered, scaled and converted. 6.0.3
 * leaves parameters unchanged, so that the archive no longer describes them.
 */

enum {
	TIME_LEN = 8,
	TIME_LEN_HIGHRES = 16,
	GROWTH = 2, /* a parameter's 12 bytes become 16 at most */
	TYPE_SHIFT = 24,
};

/*
 * The block that is read and the one that is written. The input was checked when the record was
 * read.
 */
struct copy {
	struct values *v;
	const uint8_t *from;
	uint8_t *to;
};

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put_word(struct copy *c, uint32_t w)
{
	memcpy(c->to, &w, sizeof(w));
	c->to += sizeof(w);
}

static void put_bytes(struct copy *c, const uint8_t *bytes, size_t n)
{
	memcpy(c->to, bytes, n);
	c->to += n;
}

static size_t number_len(int type)
{
	return value_type_is_64((uint32_t)type) ? 8 : 4;
}

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

/* Converts the number at `from` from the metric's old type to its new type. */
static int values_put_number(struct copy *c, const struct plan_metric *m, const uint8_t *from)
{
	int type = m->now.type, sts;
	pmAtomValue in = {0}, out = {0};

	memcpy(&in, from, number_len(m->old->desc.type));
	sts = numbers_convert(c->v, m, &in, &out);
	if (sts < 0)
		return sts;
	put_word(c,
		 (uint32_t)type << TYPE_SHIFT | (uint32_t)(VALUE_BLOCK_HEADER + number_len(type)));
	put_bytes(c, (const uint8_t *)&out, number_len(type));
	return 0;
}

/* Returns 1 if a parameter was written, 0 if it is deleted. */
static int one_param(struct copy *c)
{
	const struct plan_metric *m = plan_metric(c->v->plan, word(c->from));
	const uint8_t *block = c->from + sizeof(pmID);
	int type = (int)(word(block) >> TYPE_SHIFT);
	size_t len = pad4(word(block) & VALUE_BLOCK_MAX);
	pmID pmid = word(c->from);

	c->from = block + len;
	if (m != NULL && (m->flags & PLAN_DELETE))
		return 0;
	put_word(c, m != NULL ? m->now.pmid : pmid);
	if (m != NULL && (m->flags & (PLAN_TYPE | PLAN_RESCALE)) && is_number(type) &&
	    type == m->old->desc.type) {
		int sts = values_put_number(c, m, block + VALUE_BLOCK_HEADER);

		return sts < 0 ? sts : 1;
	}
	put_bytes(c, block, len);
	return 1;
}

static int one_record(struct copy *c, bool highres)
{
	size_t head = highres ? TIME_LEN_HIGHRES : TIME_LEN;
	uint32_t flags = word(c->from + head), n = word(c->from + head + 4), left = 0;
	uint8_t *count;

	put_bytes(c, c->from, head + 8);
	c->from += head + 8;
	count = c->to - 4;
	if (flags & PM_EVENT_FLAG_MISSED) /* n is the number of missed events */
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		int sts = one_param(c);

		if (sts < 0)
			return sts;
		left += (uint32_t)sts;
	}
	memcpy(count, &left, sizeof(left));
	return 0;
}

static int one_block(struct values *v, bool highres, pmValueBlock **block)
{
	const pmValueBlock *in = *block;
	pmValueBlock *out = arena_calloc(&v->mem, GROWTH, in->vlen);
	struct copy c = {v, (const uint8_t *)in->vbuf, NULL};
	uint32_t n = word(c.from);
	int sts = 0;

	if (out == NULL)
		return -ENOMEM;
	c.to = (uint8_t *)out->vbuf;
	put_word(&c, n);
	c.from += sizeof(n);
	for (uint32_t i = 0; i < n && sts >= 0; i++)
		sts = one_record(&c, highres);
	if (sts >= 0 && c.to - (uint8_t *)out > VALUE_BLOCK_MAX)
		sts = PM_ERR_TOOBIG;
	out->vtype = in->vtype;
	out->vlen = (unsigned int)(c.to - (uint8_t *)out) & VALUE_BLOCK_MAX;
	*block = out;
	return sts;
}

/*
 * Gives the values of a set of event records new blocks, in the memory of the rewritten record.
 * Returns 0, or an error as values_rewrite does.
 */
static int events_rewrite(struct values *v, pmValueSet *set)
{
	int sts = 0;

	for (int i = 0; i < set->numval && sts >= 0; i++) {
		pmValueBlock *block = set->vlist[i].value.pval;

		if (!value_type_is_event(block->vtype) ||
		    block->vlen < VALUE_BLOCK_HEADER + sizeof(uint32_t))
			continue;
		sts = one_block(v, block->vtype == PM_TYPE_HIGHRES_EVENT, &block);
		set->vlist[i].value.pval = block;
	}
	return sts;
}
