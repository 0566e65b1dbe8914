/*
 * event_append - adds an event to a queue (docs/spec/pmda.md 14.3, 14.6).
 *
 * The common case, with room and nothing to report, is a function without a stack frame, apart from
 * the rest.
 */
#include <errno.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_queue.h"

/* Events without bytes are bounded too: there are never more events than bytes allowed. */
static inline bool has_room(const struct event_queue *q, size_t size)
{
	return size <= q->bytes_max - q->events.bytes &&
	       event_store_count(&q->events) < q->bytes_max;
}

static inline void count_event(struct event_queue *q, size_t size)
{
	q->appended++;
	q->appended_bytes += size;
}

/* ---- with all that may be to do ---- */

static void trace_drop(struct event_queue *q, const void *e, size_t size)
{
	pmNotifyErr(LOG_DEBUG, "Dropping %s: e=%p sz=%d max=%d qsz=%d", q->name, e, (int)size,
		    (int)q->bytes_max, (int)q->events.bytes);
	LIST_FOR_EACH (node, &q->places) {
		if (event_place_of(node)->number <= q->events.first)
			pmNotifyErr(LOG_DEBUG, "Client missed queue %s event %p", q->name, e);
	}
	pmNotifyErr(LOG_DEBUG, "Removing %s event %p (%d bytes)", q->name, e, (int)size);
}

/* Drops the oldest event; clients at its position or before have missed it. */
static void drop_oldest(struct event_queue *q)
{
	const struct event *e = event_store_at(&q->events, q->events.first);

	if (pmDebugOptions.libpmda)
		trace_drop(q, e, e->size);
	q->dropped++;
	q->dropped_stamp = e->stamp;
	event_store_drop(&q->events, q->events.first + 1);
}

static int store_event(struct event_queue *q, const void *data, size_t size,
		       const union event_stamp *stamp)
{
	struct event *e;

	if (event_store_reserve(&q->events, size) < 0) {
		pmNotifyErr(LOG_ERR, "event allocation failure: %ld bytes", (long)size);
		return -ENOMEM;
	}
	while (!has_room(q, size))
		drop_oldest(q);
	e = event_store_append(&q->events, data, size, stamp);
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Inserted %s event %p (%ld bytes) clients = %u", q->name,
			    (void *)e, (long)size, q->clients + q->kept);
	return 0;
}

/* Events that will never be in the queue. */
static void miss_events(struct event_queue *q, uint64_t n, const union event_stamp *stamp)
{
	if (q->clients + q->kept > 0)
		q->dropped += n;
	q->oversized += n;
	q->oversized_before = q->events.next;
	q->oversized_stamp = *stamp;
}

static void refuse_event(struct event_queue *q, size_t size, const union event_stamp *stamp)
{
	pmNotifyErr(LOG_WARNING, "Event too large for queue %s (%ld > %ld)", q->name, (long)size,
		    (long)q->bytes_max);
	miss_events(q, 1, stamp);
}

static __attribute__((noinline)) int append_fully(int handle, bool highres, const void *data,
						  size_t size, const union event_stamp *stamp)
{
	struct event_queue *q = event_queue_of(handle);
	int r = 0;

	if (q == NULL || q->highres != highres)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Appending event: queue#%d \"%s\" (%ld bytes)", handle,
			    q->name, (long)size);
	if (size > q->bytes_max)
		refuse_event(q, size, stamp);
	else if (q->clients + q->kept > 0)
		r = store_event(q, data, size, stamp);
	if (r < 0)
		return r;
	count_event(q, size);
	return 0;
}

/* ---- the common case ---- */

static inline bool is_plain(const struct event_queue *q, bool highres, size_t size)
{
	return q != NULL && q->highres == highres && q->clients > 0 && !q->walked &&
	       has_room(q, size) && event_store_has_room(&q->events, size) &&
	       !pmDebugOptions.libpmda;
}

static inline int append(int handle, bool highres, const void *data, size_t size,
			 const union event_stamp *stamp)
{
	struct event_queue *q = event_queue_silently(handle);

	if (!is_plain(q, highres, size))
		return append_fully(handle, highres, data, size, stamp);
	count_event(q, size);
	event_store_append(&q->events, data, size, stamp);
	return 0;
}

/* The stamps are passed as they are in memory: a copy on the stack in two halves would stall the
 * read of the whole. */
int pmdaEventQueueAppend(int queue, void *data, size_t size, struct timeval *stamp)
{
	return append(queue, false, data, size, (const union event_stamp *)stamp);
}

int pmdaEventHighResQueueAppend(int queue, void *data, size_t size, struct timespec *stamp)
{
	return append(queue, true, data, size, (const union event_stamp *)stamp);
}

int pmdaEventHighResQueueMissed(int queue, uint64_t events, struct timespec *stamp)
{
	struct event_queue *q = event_queue_of(queue);

	if (q == NULL || !q->highres)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	if (events == 0)
		return 0;
	miss_events(q, events, (const union event_stamp *)stamp);
	q->appended += (uint32_t)events;
	return 0;
}
