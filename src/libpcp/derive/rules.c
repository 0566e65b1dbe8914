/* rules - see rules.h. */
#include "libpcp/derive/rules.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libbase/cleanup.h"

#define LEFT_TYPE   "Non-arithmetic type for left operand"
#define RIGHT_TYPE  "Non-arithmetic type for right operand"
#define DIMENSIONS  "Dimensions are not the same"
#define GUARD_TYPE  "Non-arithmetic operand for ternary guard"
#define GUARD_INDOM "Non-scalar ternary guard with scalar expressions"

enum { SPACE, TIME, COUNT, NDIM };

bool rules_is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

int rules_common_type(int a, int b)
{
	/* The numbers of the types grow with their range. */
	return a > b ? a : b;
}

_Static_assert(PM_TYPE_32 < PM_TYPE_U32 && PM_TYPE_U32 < PM_TYPE_64 && PM_TYPE_64 < PM_TYPE_U64 &&
		   PM_TYPE_U64 < PM_TYPE_FLOAT && PM_TYPE_FLOAT < PM_TYPE_DOUBLE,
	       "see rules_common_type");

/* ---- Units ---------------------------------------------------------------------------------- */

static int dim_of(const pmUnits *u, int which)
{
	return which == SPACE ? u->dimSpace : which == TIME ? u->dimTime : u->dimCount;
}

static int scale_of(const pmUnits *u, int which)
{
	return which == SPACE  ? (int)u->scaleSpace
	       : which == TIME ? (int)u->scaleTime
			       : u->scaleCount;
}

static void set_dim(pmUnits *u, int which, int dim)
{
	/* Four bits of two's complement. */
	dim = ((dim + 8) & 15) - 8;
	if (which == SPACE)
		u->dimSpace = (signed int)dim;
	else if (which == TIME)
		u->dimTime = (signed int)dim;
	else
		u->dimCount = (signed int)dim;
}

static void set_scale(pmUnits *u, int which, int scale)
{
	if (which == SPACE)
		u->scaleSpace = (unsigned int)scale & 15;
	else if (which == TIME)
		u->scaleTime = (unsigned int)scale & 15;
	else
		u->scaleCount = (signed int)scale;
}

/* How many units of the lower scale are one of the higher. */
static double scale_ratio(int which, int low, int high)
{
	static const double times[] = {1, 1e3, 1e6, 1e9, 60e9, 3600e9};

	if (which == SPACE)
		return ldexp(1, 10 * (high - low));
	if (which == COUNT)
		return pow(10, high - low);
	if (low < 0 || high >= (int)ARRAY_SIZE(times))
		return 1;
	return times[high] / times[low];
}

static bool same_dims(const pmUnits *a, const pmUnits *b)
{
	return a->dimSpace == b->dimSpace && a->dimTime == b->dimTime && a->dimCount == b->dimCount;
}

static bool has_dims(const pmUnits *u)
{
	return u->dimSpace != 0 || u->dimTime != 0 || u->dimCount != 0;
}

static bool is_count(const pmUnits *u)
{
	return u->dimSpace == 0 && u->dimTime == 0 && u->dimCount == 1;
}

/* A plain number fits a count. */
static bool comparable(const pmUnits *a, const pmUnits *b)
{
	return same_dims(a, b) || (!has_dims(a) && is_count(b)) || (!has_dims(b) && is_count(a));
}

/* Brings both operands to the larger scale; what becomes of an operand depends on the dimension of
 * the right one, as in 6.0.3. */
static void align_scale(struct rule *r, const pmUnits *a, const pmUnits *b, int which)
{
	int left = scale_of(a, which);
	int right = scale_of(b, which);
	int small = left < right ? 0 : 1;
	double ratio;

	if (dim_of(a, which) == 0 || dim_of(b, which) == 0 || left == right)
		return;
	ratio = scale_ratio(which, left < right ? left : right, left < right ? right : left);
	if (dim_of(b, which) > 0)
		r->divisor[small] *= ratio;
	else
		r->factor[small] *= ratio;
	r->scaled = true;
	if (left < right)
		set_scale(&r->desc.units, which, right);
}

static void combine_dims(struct rule *r, enum expr_op op, const pmUnits *a, const pmUnits *b)
{
	for (int which = 0; which < NDIM; which++) {
		int dim = op == EXPR_STAR ? dim_of(a, which) + dim_of(b, which)
					  : dim_of(a, which) - dim_of(b, which);

		if (dim_of(a, which) == 0 && dim_of(b, which) != 0)
			set_scale(&r->desc.units, which, scale_of(b, which));
		set_dim(&r->desc.units, which, dim);
		if (dim_of(&r->desc.units, which) == 0)
			set_scale(&r->desc.units, which, 0);
	}
}

/* ---- Operators with two operands ------------------------------------------------------------ */

static bool is_arithmetic(enum expr_op op)
{
	return op >= EXPR_PLUS && op <= EXPR_SLASH;
}

static bool is_relation(enum expr_op op)
{
	return op >= EXPR_LT && op <= EXPR_NEQ;
}

static const char *check_counters(enum expr_op op, bool left, bool right)
{
	if (!is_arithmetic(op))
		return NULL;
	if (left && right && op != EXPR_PLUS && op != EXPR_MINUS)
		return "Illegal operator for counters";
	if (left && !right && op != EXPR_STAR && op != EXPR_SLASH)
		return "Illegal operator for counter and non-counter";
	if (!left && right && op != EXPR_STAR)
		return "Illegal operator for non-counter and counter";
	return NULL;
}

static const char *check_dims(enum expr_op op, const pmDesc *a, const pmDesc *b)
{
	if (op == EXPR_PLUS || op == EXPR_MINUS)
		return comparable(&a->units, &b->units) ? NULL : DIMENSIONS;
	if (is_relation(op)) {
		if (a->type == PM_TYPE_U32 || b->type == PM_TYPE_U32)
			return NULL;
		return comparable(&a->units, &b->units) ? NULL : DIMENSIONS;
	}
	if (op == EXPR_AND || op == EXPR_OR)
		return has_dims(&a->units) || has_dims(&b->units) ? DIMENSIONS : NULL;
	return NULL;
}

/* A counter may be multiplied with, and compared to, a plain number alone. */
static const char *check_plain(enum expr_op op, const pmDesc *a, const pmDesc *b)
{
	bool left = a->sem == PM_SEM_COUNTER;
	bool right = b->sem == PM_SEM_COUNTER;

	if ((op != EXPR_STAR && op != EXPR_SLASH && !is_relation(op)) || left == right)
		return NULL;
	if (left && has_dims(&b->units))
		return "Non-counter and not dimensionless for right operand";
	if (right && has_dims(&a->units))
		return "Non-counter and not dimensionless for left operand";
	return NULL;
}

static const char *check_binary(enum expr_op op, const pmDesc *a, const pmDesc *b)
{
	const char *reason = check_counters(op, a->sem == PM_SEM_COUNTER, b->sem == PM_SEM_COUNTER);

	if (reason == NULL && !rules_is_number(a->type))
		reason = LEFT_TYPE;
	if (reason == NULL && !rules_is_number(b->type))
		reason = RIGHT_TYPE;
	if (reason == NULL)
		reason = check_dims(op, a, b);
	if (reason == NULL)
		reason = check_plain(op, a, b);
	if (reason == NULL && a->indom != PM_INDOM_NULL && b->indom != PM_INDOM_NULL &&
	    a->indom != b->indom)
		reason = "Operands should have the same instance domain";
	return reason;
}

static const char *apply_binary(const struct expr_node *node, const struct expr_node *left,
				struct rule *r, const pmDesc *a, const pmDesc *b)
{
	const char *reason = check_binary(node->op, a, b);

	if (reason != NULL)
		return reason;
	r->desc = left->op == EXPR_CONST ? *b : *a;
	r->desc.type = rules_common_type(a->type, b->type);
	r->desc.indom = a->indom != PM_INDOM_NULL ? a->indom : b->indom;
	if (a->sem != PM_SEM_COUNTER && b->sem != PM_SEM_COUNTER)
		r->desc.sem = a->sem == PM_SEM_DISCRETE && b->sem == PM_SEM_DISCRETE
				  ? PM_SEM_DISCRETE
				  : PM_SEM_INSTANT;
	if (!is_arithmetic(node->op)) {
		r->desc.type = PM_TYPE_U32;
		r->desc.units = (pmUnits){0};
		return NULL;
	}
	for (int which = 0; which < NDIM; which++)
		align_scale(r, &a->units, &b->units, which);
	if (node->op == EXPR_STAR || node->op == EXPR_SLASH)
		combine_dims(r, node->op, &a->units, &b->units);
	if (r->scaled || node->op == EXPR_SLASH)
		r->desc.type = PM_TYPE_DOUBLE;
	return NULL;
}

/* ---- The ternary operator ------------------------------------------------------------------- */

static const char *check_same_units(const pmUnits *a, const pmUnits *b)
{
	static const char *const reasons[] = {
	    [SPACE] = "Different units or scale (space) for ternary operands",
	    [TIME] = "Different units or scale (time) for ternary operands",
	    [COUNT] = "Different units or scale (count) for ternary operands",
	};

	for (int which = 0; which < NDIM; which++) {
		if (dim_of(a, which) != dim_of(b, which) ||
		    scale_of(a, which) != scale_of(b, which))
			return reasons[which];
	}
	return NULL;
}

static const char *apply_ternary(struct rule *r, const pmDesc *guard, const pmDesc *a,
				 const pmDesc *b)
{
	const char *reason = NULL;

	if (a->type != b->type)
		reason = "Different types for ternary operands";
	else if (a->sem != b->sem)
		reason = "Different semantics for ternary operands";
	else
		reason = check_same_units(&a->units, &b->units);
	if (reason == NULL && a->indom != PM_INDOM_NULL && b->indom != PM_INDOM_NULL &&
	    a->indom != b->indom)
		reason = "Different instance domains for ternary operands";
	if (reason == NULL && !rules_is_number(guard->type))
		reason = GUARD_TYPE;
	if (reason == NULL && guard->indom != PM_INDOM_NULL && a->indom == PM_INDOM_NULL &&
	    b->indom == PM_INDOM_NULL)
		reason = GUARD_INDOM;
	r->desc = *a;
	if (a->indom == PM_INDOM_NULL)
		r->desc.indom = b->indom;
	return reason;
}

/* ---- One operand ---------------------------------------------------------------------------- */

static const char *apply_rate(struct rule *r, const pmDesc *m)
{
	static const double seconds[] = {1e9, 1e6, 1e3, 1, 1.0 / 60, 1.0 / 3600};

	if (m->units.dimTime != 0 && m->units.dimTime != 1)
		return "Incorrect time dimension for operand";
	r->desc.type = PM_TYPE_DOUBLE;
	r->desc.sem = PM_SEM_INSTANT;
	r->to_seconds = 1;
	if (m->units.dimTime == 0) {
		r->desc.units.dimTime = -1;
		r->desc.units.scaleTime = PM_TIME_SEC;
		return NULL;
	}
	if (m->units.scaleTime < ARRAY_SIZE(seconds))
		r->to_seconds = seconds[m->units.scaleTime];
	r->desc.units.dimTime = 0;
	r->desc.units.scaleTime = 0;
	return NULL;
}

static const char *apply_function(enum expr_op op, struct rule *r, const pmDesc *m)
{
	if (op != EXPR_COUNT && op != EXPR_INSTANT && !rules_is_number(m->type))
		return "Non-arithmetic operand for function";
	r->desc = *m;
	if (op == EXPR_RATE)
		return apply_rate(r, m);
	if (op == EXPR_INSTANT) {
		if (m->sem == PM_SEM_COUNTER)
			r->desc.sem = PM_SEM_INSTANT;
		return NULL;
	}
	if (op != EXPR_SUM)
		r->desc.sem = PM_SEM_INSTANT;
	if (op == EXPR_DELTA) {
		if (m->type == PM_TYPE_U32)
			r->desc.type = PM_TYPE_64;
		else if (m->type == PM_TYPE_U64)
			r->desc.type = PM_TYPE_DOUBLE;
		return NULL;
	}
	r->desc.indom = PM_INDOM_NULL;
	if (op == EXPR_AVG)
		r->desc.type = PM_TYPE_FLOAT;
	if (op == EXPR_COUNT) {
		r->desc.type = PM_TYPE_U32;
		r->desc.units = (pmUnits){.dimCount = 1};
	}
	return NULL;
}

static const char *apply_unary(const struct expr_node *node, struct rule *r, const pmDesc *m)
{
	if (expr_is_function(node->op))
		return apply_function(node->op, r, m);
	r->desc = *m;
	switch (node->op) {
	case EXPR_NEG:
		if (!rules_is_number(m->type))
			return "Non-arithmetic operand for unary negation";
		r->desc.sem = PM_SEM_INSTANT;
		if (m->type == PM_TYPE_U32)
			r->desc.type = PM_TYPE_32;
		else if (m->type == PM_TYPE_U64)
			r->desc.type = PM_TYPE_64;
		return NULL;
	case EXPR_NOT:
		return rules_is_number(m->type) ? NULL
						: "Non-arithmetic operand for boolean negation";
	case EXPR_RESCALE:
		if (!rules_is_number(m->type))
			return "Non-arithmetic operand for function";
		if (!comparable(&m->units, &node->units))
			return "Incompatible dimensions";
		r->desc.units = node->units;
		return NULL;
	case EXPR_SCALAR:
		r->desc.indom = PM_INDOM_NULL;
		return NULL;
	default: /* a choice of instances */
		return NULL;
	}
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void apply_leaf(const struct expr_node *node, struct rule *r)
{
	if (node->op == EXPR_NAME)
		return;
	r->desc = (pmDesc){.type = PM_TYPE_U32, .sem = PM_SEM_DISCRETE, .indom = PM_INDOM_NULL};
	if (node->op == EXPR_DEFINED)
		return;
	r->desc.type = node->type;
	if (node->op == EXPR_CONST) {
		r->desc.sem = node->sem;
		r->desc.units = node->units;
	}
}

int rules_apply(const struct expr *e, struct rule *rules, int i, const char **ret_reason)
{
	const struct expr_node *node = &e->nodes[i];
	const int *arg = node->arg;
	struct rule *r = &rules[i];
	const char *reason = NULL;

	r->scaled = false;
	r->factor[0] = r->factor[1] = r->divisor[0] = r->divisor[1] = 1;
	if (arg[0] == EXPR_NONE)
		apply_leaf(node, r);
	else if (arg[1] == EXPR_NONE)
		reason = apply_unary(node, r, &rules[arg[0]].desc);
	else if (arg[2] == EXPR_NONE)
		reason = apply_binary(node, &e->nodes[arg[0]], r, &rules[arg[0]].desc,
				      &rules[arg[1]].desc);
	else
		reason =
		    apply_ternary(r, &rules[arg[0]].desc, &rules[arg[1]].desc, &rules[arg[2]].desc);
	if (reason == NULL)
		return 0;
	*ret_reason = reason;
	return PM_ERR_BADDERIVE;
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* An operand as messages show it. */
static const char *operand_text(const struct expr *e, int i)
{
	const struct expr_node *node = &e->nodes[i];

	return node->op == EXPR_NAME || node->op == EXPR_CONST ? node->text : "<expr>";
}

void rules_render(const struct expr *e, int i, const char *reason, struct buffer *out)
{
	const struct expr_node *node = &e->nodes[i];
	const int *arg = node->arg;
	const char *op = expr_op_name(node->op);
	char units[60];

	if (node->op == EXPR_TERNARY) {
		if (strcmp(reason, GUARD_TYPE) == 0 || strcmp(reason, GUARD_INDOM) == 0)
			buffer_printf(out, "%s ? ", operand_text(e, arg[0]));
		buffer_printf(out, "%s : %s", operand_text(e, arg[1]), operand_text(e, arg[2]));
	} else if (expr_is_function(node->op)) {
		buffer_printf(out, "%s(%s)", op, operand_text(e, arg[0]));
	} else if (node->op == EXPR_RESCALE) {
		pmUnitsStr_r(&node->units, units, sizeof(units));
		buffer_printf(out, "%s %s %s", operand_text(e, arg[0]), op,
			      units[0] == '\0' ? "none" : units);
	} else if (arg[1] == EXPR_NONE) {
		buffer_printf(out, "%s %s", op, operand_text(e, arg[0]));
	} else {
		buffer_printf(out, "%s %s %s", operand_text(e, arg[0]), op,
			      operand_text(e, arg[1]));
	}
}
