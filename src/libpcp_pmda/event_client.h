/*
 * event_client - who reads event queues, and what each of them may see (docs/spec/pmda.md 14.1,
 * 14.5).
 *
 * A client is a context of the agent. For each queue that it has to do with it has an interest:
 * access, a filter, and from its first Records call on a place.
 */
#ifndef LIBPCP_PMDA_EVENT_CLIENT_H
#define LIBPCP_PMDA_EVENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libpcp_pmda/event_queue.h"

struct event_interest {
	struct event_queue *queue;
	struct event_place place;
	bool begun;  /* it has a place */
	bool walked; /* its events are being delivered */
	bool access; /* ignored where there is a filter */
	bool decided; /* the agent has set access or a filter */
	void *filter;
	pmdaEventApplyFilterCallBack apply;
	pmdaEventReleaseFilterCallBack release;
	uint64_t oversized; /* events too large for the queue, as last reported to the client */
};

/*
 * The interest of a client in a queue, made if there was none. It stays where it is until the
 * client or the queue ends. 0, -EINVAL for an unknown client or queue, -ENOMEM.
 */
int event_client_interest(int context, int queue, struct event_interest **ret_interest);

/* A queue ends: the interests that are left, none of which has begun, go and release filters. */
void event_client_forget_queue(const struct event_queue *q);

#endif
