/*
 * control - what pmstore(1) may change: each takes a value for a stream (or NULL) from a client.
 *
 * Root and the user of the process may; PM_ERR_PERMISSION for all others, and for clients whose
 * user the collector does not know. With the collector's lock.
 */
#ifndef TRACING_CONTROL_H
#define TRACING_CONTROL_H

#include <pcp/pmapi.h>

int control_attach(void *thing, int context, const pmAtomValue *atom);
int control_detach(void *thing, int context, const pmAtomValue *atom);
int control_running(void *thing, int context, const pmAtomValue *atom);
int control_filter(void *thing, int context, const pmAtomValue *atom);
int control_only(void *thing, int context, const pmAtomValue *atom);
int control_clear(void *thing, int context, const pmAtomValue *atom);

#endif
