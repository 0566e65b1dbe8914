/*
 * values - the values of a metric or of a part of an expression: numbers by instance, in memory
 * that is kept from fetch to fetch.
 */
#ifndef LIBPCP_DERIVE_VALUES_H
#define LIBPCP_DERIVE_VALUES_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct value {
	int inst;
	pmAtomValue atom; /* vbp of what is not a number: a block in the source's result */
};

/* A zeroed one is empty; released by values_done. */
struct values {
	int n; /* negative: an error */
	int cap;
	struct value *v;
};

void values_done(struct values *vals);

/* Room for n values; nothing is kept. 0 or -ENOMEM. */
int values_reserve(struct values *vals, int n);

/* 0 or -ENOMEM. */
int values_copy(const struct values *from, struct values *to);

/* The values of a set; a value that its type does not allow is an error. 0 or -ENOMEM. */
int values_read(struct values *vals, const pmValueSet *vset, int type);

/* The size of a value set that holds them, and the set at *at, which moves to its end. */
size_t values_size(const struct values *vals, int type);
pmValueSet *values_write(const struct values *vals, int type, pmID pmid, char **at);

/* The same of a value set that is copied. */
size_t values_set_size(const pmValueSet *vset);
pmValueSet *values_set_copy(const pmValueSet *vset, char **at);

/*
 * Where the instance is, at or after *hint and then before it; -1: nowhere. *hint is moved to the
 * place after it, so that lists in the same order are walked once.
 */
int values_find(const struct values *vals, int inst, int *hint);

/* A number as another type: only upwards, see rules_common_type. */
pmAtomValue values_convert(pmAtomValue atom, int from, int to);
double values_double(pmAtomValue atom, int type);

#endif
