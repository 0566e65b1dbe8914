/*
 * fetch - the values of an agent, for callers that want the bytes of an answer and not a pmResult.
 *
 * pmdaFetch can write them when it is itself the agent's fetch method and the result callback is
 * the default one: then nothing of the agent's would see the pmResult. An agent that refreshes
 * something before a fetch registers that with agent_set_refresh (pitot/agent.h). Any other agent
 * is asked by its method, and gives a pmResult.
 */
#ifndef LIBPCP_PMDA_FETCH_H
#define LIBPCP_PMDA_FETCH_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libwire/result_sink.h"

/*
 * Gets values from an agent. 1: they were written to the sink, one set a PMID in order (PMIDs as
 * asked), and *ret_changes is the mask of state changes (docs/spec/pdu.md 10.4); 0: they are in
 * *ret_result, as the method gave it (perhaps NULL), to be released as ever, and nothing was
 * written; negative: the method's error, or the failure of the sink. After an error the sink's
 * owner drops what was written.
 *
 * Exported for the collector, which finds it by name in the library that an agent brings along.
 */
__attribute__((visibility("default"))) int pitot_fetch_sink(pmdaInterface *dispatch, int numpmid,
							    pmID *pmids, struct result_sink *sink,
							    pmResult **ret_result,
							    unsigned char *ret_changes);

#endif
