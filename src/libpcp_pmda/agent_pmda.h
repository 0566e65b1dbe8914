/* agent_pmda - the compiled tables that libpcp_pmda's callbacks use: fetch, instance, text,
 * names. */
#ifndef LIBPCP_PMDA_AGENT_PMDA_H
#define LIBPCP_PMDA_AGENT_PMDA_H

#include <pitot/agent.h>

struct agent_state;

/* Installs the callbacks and calls pmdaInit; dispatch->status reports a failure. The state then
 * lives as long as the dispatch. */
void agent_setup(struct agent_state *s, pmdaInterface *dispatch);

#endif
