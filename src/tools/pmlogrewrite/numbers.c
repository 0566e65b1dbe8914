/*
 * numbers - the numbers of a set: one of them picked or computed, each of them scaled and
 * converted.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libvalue/value_block.h"
#include "tools/archive/names.h"
#include "tools/pmlogrewrite/plan.h"

/* Stores a number as a value of its type, in the memory of the record. */
static int numbers_store(struct values *v, int type, const pmAtomValue *atom, pmValue *ret)
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

static int between_types(struct values *v, const pmAtomValue *in, int from, int to,
			 pmAtomValue *out)
{
	pmValue value = {0};
	int fmt;

	if (from == to) {
		*out = *in;
		return 0;
	}
	fmt = numbers_store(v, from, in, &value);
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
	int sts = first ? between_types(v, in, old->type, m->now.type, out) : 0;

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

		sts = between_types(v, &scaled, old->type, m->now.type, out);
	}
	return sts;
}

int numbers_convert(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
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

int numbers_change(struct values *v, const struct plan_metric *m, pmValueSet *set)
{
	const pmDesc *old = &m->old->desc;
	int fmt = set->valfmt;

	for (int i = 0; i < set->numval; i++) {
		pmAtomValue old_atom, atom;
		int sts =
		    pmExtractValue(set->valfmt, &set->vlist[i], old->type, &old_atom, old->type);

		if (sts >= 0)
			sts = compute(v, m, &old_atom, &atom);
		if (sts >= 0)
			sts = fmt = numbers_store(v, m->now.type, &atom, &set->vlist[i]);
		if (sts < 0) {
			v->metric = m;
			v->from = old->type;
			v->to = m->now.type;
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

/*
 * One value made of all. A minimum or maximum keeps its instance; a sum or average has that of the
 * first value.
 */
static int reduce(struct values *v, const struct plan_metric *m, pmValueSet *set)
{
	struct tally tally = {.type = m->old->desc.type};
	pmAtomValue atom;
	int sts = 0;

	for (int i = 0; i < set->numval && sts >= 0; i++) {
		sts = pmExtractValue(set->valfmt, &set->vlist[i], tally.type, &atom, tally.type);
		if (sts >= 0)
			tally_add(&tally, &atom, set->vlist[i].inst);
	}
	if (sts >= 0)
		sts = tally_result(&tally, m->pick, &atom);
	if (sts >= 0)
		sts = numbers_store(v, tally.type, &atom, &set->vlist[0]);
	if (sts < 0) {
		v->metric = m;
		v->from = v->to = tally.type;
		return sts;
	}
	if (m->pick == PICK_MIN)
		set->vlist[0].inst = tally.min_inst;
	else if (m->pick == PICK_MAX)
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

static int find_value(const pmValueSet *set, int inst)
{
	for (int i = 0; i < set->numval; i++)
		if (set->vlist[i].inst == inst)
			return i;
	return -1;
}

int numbers_pick(struct values *v, const struct plan_metric *m, pmValueSet *set)
{
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
		pick_one(set, find_value(set, m->inst));
	else if (m->pick == PICK_INAME)
		pick_one(set, -1);
	else
		sts = reduce(v, m, set);
	if (sts >= 0 && set->numval > 0 && m->now.indom == PM_INDOM_NULL)
		set->vlist[0].inst = PM_IN_NULL;
	return sts;
}
