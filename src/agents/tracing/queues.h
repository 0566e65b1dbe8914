/*
 * queues - the event queues of streams: libpcp_pmda gives each client each event once.
 *
 * Of the thread that answers requests, which has the collector's lock.
 */
#ifndef TRACING_QUEUES_H
#define TRACING_QUEUES_H

#include <stddef.h>
#include <time.h>
#include <pitot/agent.h>

#include "stream.h"

/* Moves the events that the collector's thread has taken out into the queues; new fields become
 * metrics. True if there are some. */
bool queues_update(void);

/* The events of a stream (call->from) that the client has not had: the call-back of a row. One that
 * looks for the first time gets the latest ones that were taken out before. */
int queues_records(const struct agent_call *call, pmAtomValue *atom);

/* The client's fetch asked for events. It watches if it asked for those of all streams there are.
 */
void queues_end_fetch(int context);

/* Makes values of the stream those of now. */
void queues_look(struct stream *stream);

/* A fetch begins: what the one before it was given may go. */
void queues_begin_fetch(void);

/* A client is gone. */
void queues_end_client(int context);

/*
 * ---- an event as it is kept becomes an event record with parameters ----
 *
 * It is the same record for every client, so it is made once (pmdaEventQueueShare).
 */

/* A decoder of a queue (<pitot/event_queue.h>); arg: the stream. */
int records_decode(int array, void *event, size_t size, struct timespec *stamp, void *arg);

/* Of whose metrics the parameters are. */
void records_set_domain(int domain);

#endif
