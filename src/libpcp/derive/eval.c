/* eval - see eval.h. */
#include "libpcp/derive/eval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/derive/arith.h"
#include "libpcp/derive/choose.h"

static const struct values *values_of(const struct bound *b, int i)
{
	const struct bound_node *node = &b->nodes[i];

	if (b->def->expr.nodes[i].op == EXPR_INSTANT)
		node = &b->nodes[b->def->expr.nodes[i].arg[0]];
	return node->metric != NULL ? &node->metric->vals : &node->vals;
}

const struct values *eval_values(const struct bound *b)
{
	return values_of(b, b->def->expr.n - 1);
}

/* ---- Operators with two operands ------------------------------------------------------------ */

/* The next value that both have: its places in a and b. False at the end. */
struct pairing {
	const struct values *a;
	const struct values *b;
	bool by_inst;
	bool by_left; /* the instances are those of a */
	int next;
	int hint;
	int i;
	int k;
};

static bool pair_next(struct pairing *p)
{
	const struct values *list = p->by_left ? p->a : p->b;

	while (p->next < list->n) {
		int at = p->next++;

		p->i = p->by_left ? at : 0;
		p->k = p->by_left ? 0 : at;
		if (!p->by_inst)
			return true;
		p->k = values_find(p->b, p->a->v[at].inst, &p->hint);
		if (p->k >= 0)
			return true;
	}
	return false;
}

static int eval_binary(struct bound *b, int at)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	const struct rule *left = &b->rules[node->arg[0]];
	const struct rule *right = &b->rules[node->arg[1]];
	struct pairing p = {.a = values_of(b, node->arg[0]), .b = values_of(b, node->arg[1])};
	struct values *out = &b->nodes[at].vals;
	struct arith arith;
	int cap;

	out->n = p.a->n < 0 ? p.a->n : p.b->n < 0 ? p.b->n : 0;
	if (p.a->n <= 0 || p.b->n <= 0)
		return 0;
	p.by_left = left->desc.indom != PM_INDOM_NULL || right->desc.indom == PM_INDOM_NULL;
	p.by_inst = left->desc.indom != PM_INDOM_NULL && right->desc.indom != PM_INDOM_NULL;
	cap = p.by_left ? p.a->n : p.b->n;
	if (left->desc.indom == PM_INDOM_NULL && right->desc.indom == PM_INDOM_NULL)
		cap = 1;
	if (values_reserve(out, cap) < 0)
		return -ENOMEM;
	arith_begin(&arith, node->op, &b->rules[at], left->desc.type, right->desc.type);
	while (out->n < cap && pair_next(&p)) {
		struct value *v = &out->v[out->n++];

		v->inst = p.by_left ? p.a->v[p.i].inst : p.b->v[p.k].inst;
		v->atom = arith_apply(&arith, p.a->v[p.i].atom, p.b->v[p.k].atom);
	}
	return 0;
}

/* ---- Ternary -------------------------------------------------------------------------------- */

/* The value for an instance: the only one of a scalar. NULL: none. */
static const struct value *value_for(const struct values *vals, bool scalar, int inst, int *hint)
{
	int i = scalar ? 0 : values_find(vals, inst, hint);

	return i < 0 ? NULL : &vals->v[i];
}

struct ternary {
	const struct values *v[EXPR_ARGS];
	bool scalar[EXPR_ARGS];
	int hint[EXPR_ARGS];
	int type;         /* of the guard */
	bool other_indom; /* the guard has instances of its own: they count by their order */
};

static void ternary_add(struct ternary *t, struct values *out, int inst)
{
	const struct value *guard;
	const struct value *chosen;
	int which;

	if (t->other_indom)
		guard = &t->v[0]->v[out->n < t->v[0]->n ? out->n : t->v[0]->n - 1];
	else
		guard = value_for(t->v[0], t->scalar[0], inst, &t->hint[0]);
	if (guard == NULL)
		return;
	which = arith_true(guard->atom, t->type) ? 1 : 2;
	chosen = value_for(t->v[which], t->scalar[which], inst, &t->hint[which]);
	if (chosen != NULL)
		out->v[out->n++] = (struct value){.inst = inst, .atom = chosen->atom};
}

/* Instances are those of the first operand that has any, and then those of the other one. */
static int ternary_run(struct ternary *t, struct values *out)
{
	int first = t->scalar[1] && !t->scalar[2] ? 2 : 1;
	int hint = 0;

	if (values_reserve(out, t->v[1]->n + t->v[2]->n) < 0)
		return -ENOMEM;
	for (int i = 0; i < t->v[first]->n; i++)
		ternary_add(t, out, t->v[first]->v[i].inst);
	if (first == 2 || t->scalar[1] || t->scalar[2])
		return 0;
	for (int i = 0; i < t->v[2]->n; i++) {
		int inst = t->v[2]->v[i].inst;

		if (values_find(t->v[1], inst, &hint) < 0)
			ternary_add(t, out, inst);
	}
	return 0;
}

static bool is_error(const struct values *vals, struct values *out)
{
	if (vals->n < 0)
		out->n = vals->n;
	return vals->n <= 0;
}

static int eval_ternary(struct bound *b, int at)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	struct values *out = &b->nodes[at].vals;
	struct ternary t = {.type = b->rules[node->arg[0]].desc.type};
	int type = b->rules[at].desc.type;
	pmInDom guard = b->rules[node->arg[0]].desc.indom;

	out->n = 0;
	for (int i = 0; i < EXPR_ARGS; i++) {
		t.v[i] = values_of(b, node->arg[i]);
		t.scalar[i] = b->rules[node->arg[i]].desc.indom == PM_INDOM_NULL;
		if (is_error(t.v[i], out))
			return 0;
	}
	t.other_indom = guard != PM_INDOM_NULL && guard != b->rules[at].desc.indom;
	if (!rules_is_number(type) && type != PM_TYPE_STRING) {
		out->n = PM_ERR_TYPE;
		return 0;
	}
	return ternary_run(&t, out);
}

/* ---- One operand ---------------------------------------------------------------------------- */

static int eval_each(struct bound *b, int at)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	const pmDesc *desc = &b->rules[node->arg[0]].desc;
	const struct values *in = values_of(b, node->arg[0]);
	struct values *out = &b->nodes[at].vals;

	out->n = in->n;
	if (in->n <= 0)
		return 0;
	if (values_reserve(out, in->n) < 0)
		return -ENOMEM;
	for (int i = 0; i < in->n; i++) {
		pmAtomValue atom = in->v[i].atom;

		out->v[i].inst = in->v[i].inst;
		if (node->op == EXPR_NEG)
			atom = arith_negate(atom, desc->type);
		else if (node->op == EXPR_NOT)
			atom = arith_not(atom, desc->type);
		else if (pmConvScale(desc->type, &in->v[i].atom, &desc->units, &atom,
				     &node->units) < 0) {
			out->n = PM_ERR_CONV;
			break;
		}
		out->v[i].atom = atom;
	}
	return 0;
}

static int eval_scalar(struct bound *b, int at)
{
	const struct values *in = values_of(b, b->def->expr.nodes[at].arg[0]);
	struct values *out = &b->nodes[at].vals;

	out->n = in->n;
	if (in->n <= 0)
		return 0;
	if (values_reserve(out, 1) < 0)
		return -ENOMEM;
	out->n = 1;
	out->v[0] = (struct value){.inst = (int)PM_IN_NULL, .atom = in->v[0].atom};
	return 0;
}

/* avg, count, max, min, sum */
static int eval_summary(struct bound *b, int at)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	const struct values *in = values_of(b, node->arg[0]);
	struct values *out = &b->nodes[at].vals;
	int type = b->rules[node->arg[0]].desc.type;

	if (values_reserve(out, 1) < 0)
		return -ENOMEM;
	out->n = 1;
	out->v[0].inst = (int)PM_IN_NULL;
	if (node->op == EXPR_COUNT) {
		out->v[0].atom = (pmAtomValue){.ul = in->n < 0 ? 0 : (uint32_t)in->n};
		return 0;
	}
	if (in->n < 0 || (in->n == 0 && (node->op == EXPR_MAX || node->op == EXPR_MIN))) {
		out->n = in->n; /* there is no greatest of nothing */
		return 0;
	}
	out->v[0].atom = arith_summary(node->op, in, type);
	return 0;
}

/* delta, rate */
static int eval_change(struct bound *b, int at, const struct timespec *stamp)
{
	const struct expr_node *node = &b->def->expr.nodes[at];
	struct bound_node *own = &b->nodes[at];
	const struct values *in = values_of(b, node->arg[0]);
	int type = b->rules[node->arg[0]].desc.type;
	double seconds = (double)(stamp->tv_sec - own->last_stamp.tv_sec) +
			 1e-9 * (double)(stamp->tv_nsec - own->last_stamp.tv_nsec);
	int hint = 0;

	own->vals.n = in->n < 0 ? in->n : 0;
	if (in->n > 0 && values_reserve(&own->vals, in->n) < 0)
		return -ENOMEM;
	for (int i = 0; own->has_last && own->last.n > 0 && i < in->n; i++) {
		int k = values_find(&own->last, in->v[i].inst, &hint);
		struct value *to = &own->vals.v[own->vals.n];

		if (k < 0)
			continue;
		to->inst = in->v[i].inst;
		if (node->op == EXPR_DELTA)
			to->atom = arith_delta(in->v[i].atom, own->last.v[k].atom, type);
		else
			to->atom.d = arith_rise(in->v[i].atom, own->last.v[k].atom, type) /
				     b->rules[at].to_seconds / seconds;
		own->vals.n++;
	}
	if (values_copy(in, &own->last) < 0)
		return -ENOMEM;
	own->last_stamp = *stamp;
	own->has_last = true;
	return 0;
}

/* ---- All of them ---------------------------------------------------------------------------- */

static int eval_node(struct bound *b, int at, struct context *ctx, const struct timespec *stamp)
{
	const struct expr_node *node = &b->def->expr.nodes[at];

	switch (node->op) {
	case EXPR_CONST:
	case EXPR_NAME:
	case EXPR_DEFINED:
	case EXPR_INSTANT: /* the values of its operand: see values_of */
		return 0;
	case EXPR_ANON:
		b->nodes[at].vals.n = 0;
		return 0;
	case EXPR_NOT:
	case EXPR_NEG:
	case EXPR_RESCALE:
		return eval_each(b, at);
	case EXPR_INSTANCE:
	case EXPR_MATCHINST:
		return choose_run(b, at, values_of(b, node->arg[0]), ctx);
	case EXPR_SCALAR:
		return eval_scalar(b, at);
	case EXPR_DELTA:
	case EXPR_RATE:
		return eval_change(b, at, stamp);
	case EXPR_TERNARY:
		return eval_ternary(b, at);
	default:
		return expr_is_function(node->op) ? eval_summary(b, at) : eval_binary(b, at);
	}
}

int eval_run(struct bound *b, struct context *ctx, const struct timespec *stamp)
{
	int r = 0;

	for (int i = 0; i < b->def->expr.n && r == 0; i++)
		r = eval_node(b, i, ctx, stamp);
	return r;
}
