/*
 * records - an event as it is kept becomes an event record with parameters.
 *
 * It is the same record for every client, so it is made once (pmdaEventQueueShare).
 */
#ifndef TRACING_RECORDS_H
#define TRACING_RECORDS_H

#include <stddef.h>
#include <time.h>

/* A decoder of a queue (<pitot/event_queue.h>); arg: the stream. */
int records_decode(int array, void *event, size_t size, struct timespec *stamp, void *arg);

/* Of whose metrics the parameters are. */
void records_set_domain(int domain);

#endif
