/*
 * arith - see arith.h.
 *
 * Whole numbers wrap around, as on the machine; they are added without sign, where that is defined.
 */
#include "libpcp/derive/arith.h"

/* ---- Two operands --------------------------------------------------------------------------- */

void arith_begin(struct arith *a, enum expr_op op, const struct rule *rule, int left, int right)
{
	*a = (struct arith){
	    .op = op,
	    .rule = rule,
	    .left = left,
	    .right = right,
	    .common = rules_common_type(left, right),
	};
	if (op <= EXPR_SLASH && rule->desc.type == PM_TYPE_DOUBLE)
		a->common = PM_TYPE_DOUBLE;
}

static double apply_double(enum expr_op op, double a, double b)
{
	switch (op) {
	case EXPR_PLUS:
		return a + b;
	case EXPR_MINUS:
		return a - b;
	case EXPR_STAR:
		return a * b;
	default:
		return a == 0 ? 0 : a / b;
	}
}

static float apply_float(enum expr_op op, float a, float b)
{
	return op == EXPR_PLUS ? a + b : op == EXPR_MINUS ? a - b : a * b;
}

static uint64_t apply_whole(enum expr_op op, uint64_t a, uint64_t b)
{
	return op == EXPR_PLUS ? a + b : op == EXPR_MINUS ? a - b : a * b;
}

static pmAtomValue calculate(const struct arith *a, pmAtomValue x, pmAtomValue y)
{
	switch (a->common) {
	case PM_TYPE_DOUBLE:
		if (a->rule->scaled) {
			x.d = x.d * a->rule->factor[0] / a->rule->divisor[0];
			y.d = y.d * a->rule->factor[1] / a->rule->divisor[1];
		}
		return (pmAtomValue){.d = apply_double(a->op, x.d, y.d)};
	case PM_TYPE_FLOAT:
		return (pmAtomValue){.f = apply_float(a->op, x.f, y.f)};
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return (pmAtomValue){.ull = apply_whole(a->op, x.ull, y.ull)};
	default:
		return (pmAtomValue){.ul = (uint32_t)apply_whole(a->op, x.ul, y.ul)};
	}
}

/* -1, 0 or 1; 2 if one is not a number. */
static int compare(pmAtomValue x, pmAtomValue y, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return (x.l > y.l) - (x.l < y.l);
	case PM_TYPE_U32:
		return (x.ul > y.ul) - (x.ul < y.ul);
	case PM_TYPE_64:
		return (x.ll > y.ll) - (x.ll < y.ll);
	case PM_TYPE_U64:
		return (x.ull > y.ull) - (x.ull < y.ull);
	case PM_TYPE_FLOAT:
		return x.f != x.f || y.f != y.f ? 2 : (x.f > y.f) - (x.f < y.f);
	default:
		return x.d != x.d || y.d != y.d ? 2 : (x.d > y.d) - (x.d < y.d);
	}
}

static bool holds(enum expr_op op, int order)
{
	switch (op) {
	case EXPR_LT:
		return order == -1;
	case EXPR_LEQ:
		return order == -1 || order == 0;
	case EXPR_EQ:
		return order == 0;
	case EXPR_GEQ:
		return order == 1 || order == 0;
	case EXPR_GT:
		return order == 1;
	default:
		return order != 0;
	}
}

pmAtomValue arith_apply(const struct arith *a, pmAtomValue left, pmAtomValue right)
{
	pmAtomValue x;
	pmAtomValue y;

	if (a->op == EXPR_AND)
		return (pmAtomValue){.ul =
					 arith_true(left, a->left) && arith_true(right, a->right)};
	if (a->op == EXPR_OR)
		return (pmAtomValue){.ul =
					 arith_true(left, a->left) || arith_true(right, a->right)};
	x = values_convert(left, a->left, a->common);
	y = values_convert(right, a->right, a->common);
	if (a->op <= EXPR_SLASH)
		return calculate(a, x, y);
	return (pmAtomValue){.ul = holds(a->op, compare(x, y, a->common))};
}

/* ---- One operand ---------------------------------------------------------------------------- */

bool arith_true(pmAtomValue atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		return atom.ul != 0;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return atom.ull != 0;
	default:
		return values_double(atom, type) != 0;
	}
}

pmAtomValue arith_not(pmAtomValue atom, int type)
{
	return values_convert((pmAtomValue){.ul = !arith_true(atom, type)}, PM_TYPE_U32, type);
}

pmAtomValue arith_negate(pmAtomValue atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		return (pmAtomValue){.ul = 0 - atom.ul};
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return (pmAtomValue){.ull = 0 - atom.ull};
	case PM_TYPE_FLOAT:
		return (pmAtomValue){.f = -atom.f};
	default:
		return (pmAtomValue){.d = -atom.d};
	}
}

/* ---- Many values ---------------------------------------------------------------------------- */

static pmAtomValue average(const struct values *vals, int type)
{
	float avg = 0;

	for (int i = 0; i < vals->n; i++) {
		if (type == PM_TYPE_DOUBLE)
			avg += (float)(vals->v[i].atom.d / vals->n);
		else
			avg +=
			    values_convert(vals->v[i].atom, type, PM_TYPE_FLOAT).f / (float)vals->n;
	}
	return (pmAtomValue){.f = avg};
}

static pmAtomValue add_up(const struct values *vals, int type)
{
	pmAtomValue sum = {.ull = 0};

	for (int i = 0; i < vals->n; i++) {
		pmAtomValue v = vals->v[i].atom;

		if (type == PM_TYPE_DOUBLE)
			sum.d += v.d;
		else if (type == PM_TYPE_FLOAT)
			sum.f += v.f;
		else if (type == PM_TYPE_64 || type == PM_TYPE_U64)
			sum.ull += v.ull;
		else
			sum.ul += v.ul;
	}
	return sum;
}

pmAtomValue arith_summary(enum expr_op op, const struct values *vals, int type)
{
	int wanted = op == EXPR_MAX ? 1 : -1;
	pmAtomValue best;

	if (op == EXPR_AVG)
		return average(vals, type);
	if (op == EXPR_SUM)
		return add_up(vals, type);
	best = vals->v[0].atom;
	for (int i = 1; i < vals->n; i++) {
		if (compare(vals->v[i].atom, best, type) == wanted)
			best = vals->v[i].atom;
	}
	return best;
}

/* ---- Changes -------------------------------------------------------------------------------- */

pmAtomValue arith_delta(pmAtomValue now, pmAtomValue before, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return (pmAtomValue){.ul = now.ul - before.ul};
	case PM_TYPE_U32:
		return (pmAtomValue){.ll = (int64_t)now.ul - (int64_t)before.ul};
	case PM_TYPE_64:
		return (pmAtomValue){.ull = now.ull - before.ull};
	case PM_TYPE_U64:
		return (pmAtomValue){.d = now.ull >= before.ull ? (double)(now.ull - before.ull)
								: -(double)(before.ull - now.ull)};
	case PM_TYPE_FLOAT:
		return (pmAtomValue){.f = now.f - before.f};
	default:
		return (pmAtomValue){.d = now.d - before.d};
	}
}

/* The unsigned types have no sign here either: a fall is a great rise, as in 6.0.3. */
double arith_rise(pmAtomValue now, pmAtomValue before, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return (double)(int32_t)(now.ul - before.ul);
	case PM_TYPE_U32:
		return (double)(uint32_t)(now.ul - before.ul);
	case PM_TYPE_64:
		return (double)(int64_t)(now.ull - before.ull);
	case PM_TYPE_U64:
		return (double)(now.ull - before.ull);
	case PM_TYPE_FLOAT:
		return (double)(now.f - before.f);
	default:
		return now.d - before.d;
	}
}
