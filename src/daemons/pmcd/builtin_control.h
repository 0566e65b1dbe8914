/*
 * builtin_control - what storing into the metrics of the agent "pmcd" does, and who may
 * (docs/spec/pmcd.md 11; docs/design.md, differences).
 *
 * CONTROL(NAME) is the head of set_NAME, which a row of builtin_metrics.c names: 0, or the error
 * that the client gets.
 */
#ifndef PMCD_BUILTIN_CONTROL_H
#define PMCD_BUILTIN_CONTROL_H

#include "daemons/pmcd/builtin.h"

#define CONTROL(word)                                                                              \
	int set_##word(const struct builtin_call *call, const struct builtin_metric *m, int inst,  \
		       const pmAtomValue *value)

CONTROL(timeout);
CONTROL(debug);
CONTROL(register);
CONTROL(traceconn);
CONTROL(tracepdu);
CONTROL(tracenobuf);
CONTROL(tracebufs);
CONTROL(dumptrace);
CONTROL(dumpconn);
CONTROL(sighup);
CONTROL(seqnum);
CONTROL(fenced);
CONTROL(whoami);
CONTROL(container);

/* Old-style debug bits, as they were last set. */
int control_debug_bits(void);

#endif
