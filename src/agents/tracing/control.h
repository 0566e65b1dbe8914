/*
 * control - what pmstore(1) may change, and the user of each client, as the collector passes it on.
 */
#ifndef TRACING_CONTROL_H
#define TRACING_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>
#include <pcp/pmapi.h>
#include <pitot/agent.h>

int control_attach(const struct agent_call *call, const pmAtomValue *atom);
int control_detach(const struct agent_call *call, const pmAtomValue *atom);
int control_running(const struct agent_call *call, const pmAtomValue *atom);
int control_filter(const struct agent_call *call, const pmAtomValue *atom);
int control_only(const struct agent_call *call, const pmAtomValue *atom);
int control_clear(const struct agent_call *call, const pmAtomValue *atom);

/* ---- the user of each client ---- */

/* The text of PMDA_ATTR_USERID, which may be NULL; 0 or -ENOMEM. */
int users_set(int context, const char *text);
void users_end(int context);

/* False for a client of whom nothing is known. */
bool users_get(int context, uid_t *ret_uid);

#endif
