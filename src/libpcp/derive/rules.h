/*
 * rules - which operands an operator takes, and the descriptor of its result
 * (docs/spec/pmapi.md 18.5).
 *
 * The rules are functions of descriptors alone. Where 6.0.3 gives a result a scale that does not
 * fit, ours does the same: programs that compare descriptors see no difference.
 */
#ifndef LIBPCP_DERIVE_RULES_H
#define LIBPCP_DERIVE_RULES_H

#include "libbase/buffer.h"
#include "libpcp/derive/expr.h"

/* Facts about one node. */
struct rule {
	pmDesc desc;
	bool scaled;      /* an operand of + - * / is brought to the scale of the other one */
	double factor[2]; /* the operands are multiplied by these first, and then divided by */
	double divisor[2];
	double to_seconds; /* rate() of a time: divides a difference */
};

/*
 * The rule of node i, whose operands' rules are in the array already; the rule's descriptor is set
 * before for names, which are the metrics themselves. 0, or PM_ERR_BADDERIVE with the reason.
 */
int rules_apply(const struct expr *e, struct rule *rules, int i, const char **ret_reason);

/* The part of the expression that a reason is about. */
void rules_render(const struct expr *e, int i, const char *reason, struct buffer *out);

bool rules_is_number(int type);
/* The type in which two numbers are compared or added. */
int rules_common_type(int a, int b);

#endif
