/*
 * agent_request - the methods of an agent that is tables: what libpcp_pmda calls for each request.
 */
#ifndef LIBPCP_PMDA_AGENT_REQUEST_H
#define LIBPCP_PMDA_AGENT_REQUEST_H

#include "libpcp_pmda/agent_table.h"

/* Installs the methods and calls pmdaInit; dispatch->status reports a failure. The state then
 * lives as long as the dispatch. */
void agent_install(struct agent_state *s, pmdaInterface *dispatch);

#endif
