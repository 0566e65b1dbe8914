/*
 * fetch - one value from the agent's atom into a value set (docs/spec/pmda.md 10.2).
 */
#ifndef LIBPCP_PMDA_FETCH_H
#define LIBPCP_PMDA_FETCH_H

#include <pcp/pmapi.h>

struct values;

/*
 * Puts an atom of a type behind the first numval values of the set under construction (the
 * instance, numval and valfmt are the caller's to fill) and returns the value format; PM_ERR_TYPE
 * for a type that has no values, PM_ERR_CONV for a missing pointer or a block without a header,
 * -E2BIG for one too long for the wire, -ENOMEM.
 */
int fetch_store(struct values *v, pmValueSet **vset, int numval, int type, const pmAtomValue *atom);

#endif
