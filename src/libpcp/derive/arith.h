/* arith - calculations with single numbers of any type (docs/spec/pmapi.md 18.6). */
#ifndef LIBPCP_DERIVE_ARITH_H
#define LIBPCP_DERIVE_ARITH_H

#include <stdbool.h>

#include "libpcp/derive/rules.h"
#include "libpcp/derive/values.h"

/* An operator with two operands, ready for many values. */
struct arith {
	enum expr_op op;
	const struct rule *rule;
	int left; /* types of the operands */
	int right;
	int common; /* in which they are added or compared */
};

void arith_begin(struct arith *a, enum expr_op op, const struct rule *rule, int left, int right);
pmAtomValue arith_apply(const struct arith *a, pmAtomValue left, pmAtomValue right);

bool arith_true(pmAtomValue atom, int type);
pmAtomValue arith_not(pmAtomValue atom, int type);
pmAtomValue arith_negate(pmAtomValue atom, int type);

/* avg, max, min or sum of the values, of which max and min need one at least. */
pmAtomValue arith_summary(enum expr_op op, const struct values *vals, int type);

/* The difference of two values of a metric, as delta() and rate() have it. */
pmAtomValue arith_delta(pmAtomValue now, pmAtomValue before, int type);
double arith_rise(pmAtomValue now, pmAtomValue before, int type);

#endif
