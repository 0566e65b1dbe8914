/*
 * host_agent - checks of an agent's answers before the process that has called it uses them: an
 * agent that forgot a method, or left a hole in an answer, must not crash its caller.
 *
 * Only cheap checks: pointers that are NULL, counts below zero, offsets outside the text. A wrong
 * pointer that is not NULL cannot be recognized.
 */
#ifndef LIBWIRE_HOST_AGENT_H
#define LIBWIRE_HOST_AGENT_H

#include <stdbool.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/*
 * Puts a method in each place of the agent's interface version that has none: requests get
 * PM_ERR_NYI then, a profile is kept as pmdaProfile would, attributes are taken. Returns how many
 * were missing.
 */
int host_agent_complete(pmdaInterface *dispatch);

/* Are there n names, none of them NULL? n >= 0. */
bool host_agent_names(char *const *names, int n);

/* Has an answer about instances a count, and no name that is NULL? in may be NULL: it has not. */
bool host_agent_insts(const pmInResult *in);

/* Have n sets the text of each of their labels? A set may hold an error code instead. */
bool host_agent_labels(const pmLabelSet *sets, int n);

/* Is there a set, with a value wherever it counts one? */
bool host_agent_values(const pmValueSet *vset);

#endif
