/*
 * condition - a test of a field: NAME OP VALUE, where OP is = (or ==), !=, <, <=, >, >= or ~.
 *
 * Numbers, decimal or 0x, are compared exactly as numbers; other values as text. ~ matches the text
 * against a pattern (*, ? and []). A condition on a name that the record does not have is false.
 */
#ifndef PMEVENT_CONDITION_H
#define PMEVENT_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

struct field;

/* A number of a condition or a field. */
struct number {
	enum { NUMBER_NONE, NUMBER_INTEGER, NUMBER_REAL } kind;
	bool negative; /* of an integer, together with its magnitude; never set for 0 */
	uint64_t magnitude;
	double real; /* the value, of both kinds */
};

struct condition {
	char *name;
	char *value;
	int op;               /* condition.c */
	struct number number; /* the number, if the value is one */
};

/* Returns 0; -EINVAL if the text is not a condition; -ENOMEM. */
int condition_parse(const char *text, struct condition *ret_condition);

/* True if the condition is on this field, by the field's name or the full name of the metric. */
bool condition_is_on(const struct condition *c, const struct field *f);

bool condition_holds(const struct condition *c, const struct field *f);

void condition_done(struct condition *c);

#endif
