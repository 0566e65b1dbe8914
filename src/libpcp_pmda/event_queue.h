/*
 * event_queue - events of one kind and who has had them (docs/spec/pmda.md 14.6).
 *
 *              first                              next
 *     dropped ---|--- event --- event --- event ---|      event_store's numbers
 *                |              |                  |
 *              3 readers      1 reader         2 waiting
 *
 * A client that has begun stands at a number: it had all events before. Each event counts the
 * clients that stand at it, the queue those at its end, and places kept for clients to come count
 * as readers of the oldest event. So the oldest may go when nobody stands at it, and when it is
 * dropped for room its readers move on to the next: a client then finds by the distance between its
 * number and the oldest one's how many it missed. Each step takes constant time, however many
 * clients there are.
 *
 * Events larger than the whole queue are never stored; those are counted, and each client remembers
 * the count that it was told last.
 */
#ifndef LIBPCP_PMDA_EVENT_QUEUE_H
#define LIBPCP_PMDA_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libpcp_pmda/event_image.h"
#include "libpcp_pmda/event_store.h"

struct event_queue {
	char *name;
	size_t bytes_max;
	bool highres;
	bool walked;              /* Records is under way: a call back may not alter the queue */
	bool ending;              /* shut down; goes with its last client */
	int array;                /* handle of what Records returns */
	struct event_image image; /* what it returns if clients share their records */
	struct event_store events;
	uint32_t clients; /* that have begun */
	uint32_t kept;    /* places for more, from the creation */
	uint32_t waiting; /* clients that had all events */
	uint32_t appended;
	uint64_t appended_bytes;
	uint64_t oversized;                /* events that were larger than the queue */
	uint64_t oversized_before;         /* number of the first event after the newest of them */
	union event_stamp oversized_stamp; /* of the newest */
	union event_stamp dropped_stamp;   /* of the newest event dropped for room */
};

/* The queue of a handle, or NULL. */
struct event_queue *event_queue_of(int handle);

/* A client begins: the number where it stands, which is the oldest event for those whose places
 * were kept and behind the newest for others. */
uint64_t event_queue_begin(struct event_queue *q);

/* Where a client that stood at a number stands now, if events were dropped before its eyes. */
static inline uint64_t event_queue_position(const struct event_queue *q, uint64_t number)
{
	return number > q->events.first ? number : q->events.first;
}

/* A client goes on from one position to a later one; what all have had is freed. */
void event_queue_move(struct event_queue *q, uint64_t from, uint64_t to);

/* A client ends. The queue may be gone afterwards, if it was shut down. */
void event_queue_leave(struct event_queue *q, uint64_t at);

#endif
