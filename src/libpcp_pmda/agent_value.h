/*
 * agent_value - the value of a row for an instance, and a store into one: of rows with call-backs,
 * without a value, or with an instance domain that the agent keeps itself. Plain rows are
 * agent_cluster's.
 */
#ifndef LIBPCP_PMDA_AGENT_VALUE_H
#define LIBPCP_PMDA_AGENT_VALUE_H

#include "libpcp_pmda/agent_table.h"

/* The value of a row for an instance. Returns what a fetch call-back returns: PMDA_FETCH_* or an
 * error code. */
int agent_row_value(const struct agent_state *s, const struct agent_row *row, int inst,
		    pmAtomValue *ret_atom);

/* Stores all values of a set. 0 or an error code. */
int agent_row_store(struct agent_state *s, struct agent_row *row, const pmValueSet *vset);

#endif
