/*
 * agent_check - are the tables of an agent right? What is wrong in a row is found here, at the
 * start, and not as a wrong value or a crash later. After a check without faults the rest of the
 * framework trusts the tables.
 *
 * One log line for each fault: the row, what it has, and what was expected.
 */
#ifndef LIBPCP_PMDA_AGENT_CHECK_H
#define LIBPCP_PMDA_AGENT_CHECK_H

#include <pitot/agent.h>

/*
 * Checks the agent's tables and the metrics that the framework adds (self), for a domain number.
 * 0, -ENOMEM, or -EINVAL after the lines of all faults.
 */
int agent_check(const struct agent *agent, const struct agent_cluster *self, int domain);

#endif
