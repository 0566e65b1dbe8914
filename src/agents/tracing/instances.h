/*
 * instances - numbers and names of streams, event types and processes, kept by pmdaCache; and
 * labels.
 *
 * The number is made of what the thing is, so an agent that was started again gives it the same
 * one. Of the thread that answers requests alone.
 */
#ifndef TRACING_INSTANCES_H
#define TRACING_INSTANCES_H

#include "stream.h"
#include "tracing.h"

void instances_load(int domain);
void instances_save(void);

/* Updates the domains from the collector; its lock is held. */
void instances_update(void);

/* The object of an active instance: struct stream, type or process; NULL for another number. */
void *instances_find(int serial, unsigned int inst);

/* ---- labels of the agent, of fields, and of instances (the process that one is of) ---- */

/* The hook of the agent; the collector's lock is held. */
int labels_add(int ident, int type, pmLabelSet **sets, pmdaExt *ext);
int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif
