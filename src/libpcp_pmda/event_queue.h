/*
 * event_queue - events of one kind, and the clients' positions (docs/spec/pmda.md 14.6).
 *
 *                     first                              next
 *     dropped events ---|--- event --- event --- event ---|      event_store's numbers
 *            |                           |                |
 *         a place                     a place          places of clients that had all
 *
 * A client that has begun has a place: the number of the first event that it has not had. Places
 * are a list in the order of their numbers, so the first one shows what may be freed. A client
 * takes all events and its place goes to the end of the list. That takes constant time for any
 * number of clients, and so do appending and being overtaken; only a place that an error stops half
 * way is put between others. An event dropped for room moves no place: a client with a place before
 * the oldest event computes from the distance how many it missed. While places are kept for clients
 * to come, nothing is freed.
 *
 * Events larger than the whole queue are never stored; they are counted, and each client has the
 * count that was last reported to it.
 */
#ifndef LIBPCP_PMDA_EVENT_QUEUE_H
#define LIBPCP_PMDA_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libbase/list.h"
#include "libpcp_pmda/event_store.h"

/* The position of a client. */
struct event_place {
	struct list node; /* of the queue's places; unused until it begins */
	uint64_t number;  /* may be before the oldest event held: see event_queue_position */
};

struct event_queue {
	char *name;
	size_t bytes_max;
	bool highres;
	bool walked;              /* Records is under way: a call back may not alter the queue */
	bool ending;              /* shut down; goes with its last client */
	bool withheld_logged;     /* the log says that clients get no events */
	int array;                /* handle of what Records returns */
	struct event_image image; /* what it returns if clients share their records */
	struct event_store events;
	struct list places;
	uint32_t clients; /* that have begun: how many places */
	uint32_t kept;    /* places for more, from the creation */
	uint32_t appended;
	uint64_t appended_bytes;
	uint64_t dropped;          /* events that an interested client did not get */
	uint64_t oversized;        /* events that never were in the queue: too large, or lost
				    * before they came */
	uint64_t oversized_before; /* number of the first event after the newest of them */
	union event_stamp oversized_stamp; /* of the newest */
	union event_stamp dropped_stamp;   /* of the newest event dropped for room */
};

/* Queues by handle; each slot is NULL or a queue. */
struct event_queue_table {
	struct event_queue **slots;
	int n;
};

extern struct event_queue_table event_queues;

/* The queue of a handle, or NULL, with a message of a trace. */
struct event_queue *event_queue_of(int handle);

/* The same without a message. */
static inline struct event_queue *event_queue_silently(int handle)
{
	return (unsigned int)handle < (unsigned int)event_queues.n ? event_queues.slots[handle]
								   : NULL;
}

static inline struct event_place *event_place_of(struct list *node)
{
	return LIST_ENTRY(node, struct event_place, node);
}

/* A client begins: at the oldest event if its place was kept, or else after the newest. */
void event_queue_begin(struct event_queue *q, struct event_place *place);

/* The number of the event that a client is to have next. */
static inline uint64_t event_queue_position(const struct event_queue *q,
					    const struct event_place *place)
{
	return place->number > q->events.first ? place->number : q->events.first;
}

/* A client goes on to a later position; what all have had is freed. */
void event_queue_move(struct event_queue *q, struct event_place *place, uint64_t to);

/* A client ends. The queue may be gone afterwards, if it was shut down. */
void event_queue_leave(struct event_queue *q, struct event_place *place);

/*
 * An interest of a client, which is a context of the agent, in a queue (docs/spec/pmda.md 14.1,
 * 14.5): access, a filter, and from the client's first Records call on a place.
 */
struct event_interest {
	struct event_queue *queue;
	struct event_place place;
	bool begun;   /* it has a place */
	bool walked;  /* its events are being delivered */
	bool access;  /* ignored where there is a filter */
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

#endif
