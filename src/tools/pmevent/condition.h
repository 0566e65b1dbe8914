/*
 * condition - a test of a field: NAME OP VALUE, where OP is = (or ==), !=, <, <=, >, >= or ~.
 *
 * Numbers are compared as numbers, decimal or 0x, exactly; other values as text. ~ takes the value
 * for a pattern (*, ? and []) of the text. A condition on a name that the record does not have does
 * not hold.
 */
#ifndef PMEVENT_CONDITION_H
#define PMEVENT_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct field;

/* A number as it stands in a condition or a field. */
struct number {
	enum { NUMBER_NONE, NUMBER_INTEGER, NUMBER_REAL } kind;
	bool negative; /* of an integer: with its magnitude, as 0 is never negative */
	uint64_t magnitude;
	double real; /* of either kind */
};

struct condition {
	char *name;
	char *value;
	int op;               /* condition.c */
	struct number number; /* the value, if it is one */
};

/* 0; -EINVAL: not of this form; -ENOMEM. */
int condition_parse(const char *text, struct condition *ret_condition);

/* True if it is a condition on this field, by its name or the whole name of the metric. */
bool condition_is_on(const struct condition *c, const struct field *f);

bool condition_holds(const struct condition *c, const struct field *f);

void condition_done(struct condition *c);

#endif
