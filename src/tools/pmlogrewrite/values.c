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

/* Stores a number as a value of its type, in the memory of the record. */
static int values_store(struct values *v, int type, const pmAtomValue *atom, pmValue *ret)
{
	pmValueBlock *block;
	size_t len = value_type_is_64((uint32_t)type) ? 8 : 4;

	if (type == PM_TYPE_32 || type == PM_TYPE_U32) {
		ret->value.lval = atom->l;
		return PM_VAL_INSITU;
	}
	block = arena_calloc(&v->mem, 1, VALUE_BLOCK_HEADER + len);
	if (block == NULL)
		return -ENOMEM;
	block->vtype = (unsigned int)type & 0xff;
	block->vlen = (unsigned int)(VALUE_BLOCK_HEADER + len);
	memcpy(block->vbuf, atom, len);
	ret->value.pval = block;
	return PM_VAL_DPTR;
}

static int values_convert(struct values *v, const pmAtomValue *in, int from, int to,
			  pmAtomValue *out)
{
	pmValue value = {0};
	int fmt;

	if (from == to) {
		*out = *in;
		return 0;
	}
	fmt = values_store(v, from, in, &value);
	return fmt < 0 ? fmt : pmExtractValue(fmt, &value, from, out, to);
}

static bool is_real(int type)
{
	return type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE;
}

/* Scales in the type that loses less. */
static int compute(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
		   pmAtomValue *out)
{
	const pmDesc *old = &m->old->desc;
	bool first = is_real(m->now.type) && !is_real(old->type);
	int sts = first ? values_convert(v, in, old->type, m->now.type, out) : 0;

	if (!first)
		*out = *in;
	if (sts >= 0 && (m->flags & PLAN_RESCALE)) {
		pmAtomValue scaled;

		sts = pmConvScale(first ? m->now.type : old->type, out, &old->units, &scaled,
				  &m->now.units);
		if (sts >= 0)
			*out = scaled;
	}
	if (sts >= 0 && !first) {
		pmAtomValue scaled = *out;

		sts = values_convert(v, &scaled, old->type, m->now.type, out);
	}
	return sts;
}

/*
 * Scales and converts a number of a metric according to its plan. Returns 0 or an error as
 * values_rewrite does.
 */
static int values_number(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
			 pmAtomValue *ret)
{
	int sts = compute(v, m, in, ret);

	if (sts < 0) {
		v->metric = m;
		v->from = m->old->desc.type;
		v->to = m->now.type;
	}
	return sts;
}

static int change_numbers(struct work *w)
{
	const pmDesc *old = &w->m->old->desc;
	pmValueSet *set = w->set;
	int fmt = set->valfmt;

	for (int i = 0; i < set->numval; i++) {
		pmAtomValue old_atom, atom;
		int sts =
		    pmExtractValue(set->valfmt, &set->vlist[i], old->type, &old_atom, old->type);

		if (sts >= 0)
			sts = compute(w->v, w->m, &old_atom, &atom);
		if (sts >= 0)
			sts = fmt = values_store(w->v, w->m->now.type, &atom, &set->vlist[i]);
		if (sts < 0) {
			w->v->metric = w->m;
			w->v->from = old->type;
			w->v->to = w->m->now.type;
			return sts;
		}
	}
	set->valfmt = fmt;
	return 0;
}

/* Adds up and compares numbers of the same type. */
struct tally {
	int type;
	int n;
	__int128 sum;
	double real_sum;
	pmAtomValue min, max;
	int min_inst, max_inst;
};

static void tally_add(struct tally *t, const pmAtomValue *a, int inst)
{
	switch (t->type) {
	case PM_TYPE_32:
		t->sum += a->l;
		break;
	case PM_TYPE_U32:
		t->sum += a->ul;
		break;
	case PM_TYPE_64:
		t->sum += a->ll;
		break;
	case PM_TYPE_U64:
		t->sum += (__int128)a->ull;
		break;
	case PM_TYPE_FLOAT:
		t->real_sum += (double)a->f;
		break;
	default:
		t->real_sum += a->d;
		break;
	}
	if (t->n == 0 || number_less(t->type, a, &t->min)) {
		t->min = *a;
		t->min_inst = inst;
	}
	if (t->n == 0 || number_less(t->type, &t->max, a)) {
		t->max = *a;
		t->max_inst = inst;
	}
	t->n++;
}

/* Stores an integer in its type; PM_ERR_TRUNC if it does not fit. */
static int put_whole(int type, __int128 v, pmAtomValue *ret)
{
	memset(ret, 0, sizeof(*ret));
	switch (type) {
	case PM_TYPE_32:
		ret->l = (int32_t)v;
		return ret->l == v ? 0 : PM_ERR_TRUNC;
	case PM_TYPE_U32:
		ret->ul = (uint32_t)v;
		return ret->ul == v ? 0 : PM_ERR_TRUNC;
	case PM_TYPE_64:
		ret->ll = (int64_t)v;
		return ret->ll == v ? 0 : PM_ERR_TRUNC;
	default:
		ret->ull = (uint64_t)v;
		return (__int128)ret->ull == v ? 0 : PM_ERR_TRUNC;
	}
}

/* Rounds a half away from 0. */
static __int128 nearest(__int128 sum, int by)
{
	__int128 half = sum < 0 ? -(by / 2) : by / 2;

	return (sum + half) / by;
}

static int tally_result(const struct tally *t, enum rule_pick pick, pmAtomValue *ret)
{
	int by = pick == PICK_AVG ? t->n : 1;

	if (pick == PICK_MIN)
		*ret = t->min;
	else if (pick == PICK_MAX)
		*ret = t->max;
	else if (t->type == PM_TYPE_FLOAT)
		ret->f = (float)(t->real_sum / by);
	else if (t->type == PM_TYPE_DOUBLE)
		ret->d = t->real_sum / by;
	else
		return put_whole(t->type, nearest(t->sum, by), ret);
	return 0;
}

/* One value made of all. A minimum or maximum keeps its instance; a sum or average has that of the
 * first value. */
static int values_reduce(struct work *w)
{
	struct tally tally = {.type = w->m->old->desc.type};
	pmValueSet *set = w->set;
	pmAtomValue atom;
	int sts = 0;

	for (int i = 0; i < set->numval && sts >= 0; i++) {
		sts = pmExtractValue(set->valfmt, &set->vlist[i], tally.type, &atom, tally.type);
		if (sts >= 0)
			tally_add(&tally, &atom, set->vlist[i].inst);
	}
	if (sts >= 0)
		sts = tally_result(&tally, w->m->pick, &atom);
	if (sts >= 0)
		sts = values_store(w->v, tally.type, &atom, &set->vlist[0]);
	if (sts < 0) {
		w->v->metric = w->m;
		w->v->from = w->v->to = tally.type;
		return sts;
	}
	if (w->m->pick == PICK_MIN)
		set->vlist[0].inst = tally.min_inst;
	else if (w->m->pick == PICK_MAX)
		set->vlist[0].inst = tally.max_inst;
	set->valfmt = sts;
	set->numval = 1;
	return 0;
}

static void pick_one(pmValueSet *set, int at)
{
	if (at >= 0 && at < set->numval)
		set->vlist[0] = set->vlist[at];
	set->numval = at >= 0 && at < set->numval ? 1 : 0;
}

static int values_find_value(const pmValueSet *set, int inst)
{
	for (int i = 0; i < set->numval; i++)
		if (set->vlist[i].inst == inst)
			return i;
	return -1;
}

static int pick(struct work *w)
{
	const struct plan_metric *m = w->m;
	pmValueSet *set = w->set;
	int sts = 0;

	if (m->old->desc.indom == PM_INDOM_NULL) {
		pick_one(set, 0);
		if (set->numval > 0)
			set->vlist[0].inst = m->inst;
		return 0;
	}
	if (m->pick == PICK_FIRST)
		pick_one(set, 0);
	else if (m->pick == PICK_LAST)
		pick_one(set, set->numval - 1);
	else if (m->pick == PICK_INST)
		pick_one(set, values_find_value(set, m->inst));
	else if (m->pick == PICK_INAME)
		pick_one(set, -1);
	else
		sts = values_reduce(w);
	if (sts >= 0 && set->numval > 0 && m->now.indom == PM_INDOM_NULL)
		set->vlist[0].inst = PM_IN_NULL;
	return sts;
}

static int values_change(struct work *w)
{
	const struct plan_metric *m = w->m;
	const struct plan_domain *from = plan_domain(w->v->plan, m->old->desc.indom);
	bool many = m->now.indom != PM_INDOM_NULL;
	int sts = 0;

	if ((m->flags & PLAN_OUTPUT) && w->set->numval > 0)
		sts = pick(w);
	if (sts >= 0 && many && from != NULL && from->changed && !from->duplicate)
		expunge(w->set, from);
	if (sts >= 0 && many && m->map != NULL && m->map->changed) {
		if (m->map != from || from->duplicate)
			expunge(w->set, m->map);
		values_renumber(w->set, m->map);
	}
	if (sts >= 0 && (m->flags & (PLAN_TYPE | PLAN_RESCALE)))
		sts = change_numbers(w);
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
	sts = values_number(c->v, m, &in, &out);
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
