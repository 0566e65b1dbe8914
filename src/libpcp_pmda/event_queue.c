/* event_queue - see event_queue.h. Here are the calls but for appending and taking. */
#include "libpcp_pmda/event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_client.h"

struct event_queue_table event_queues;

struct event_queue *event_queue_of(int handle)
{
	struct event_queue *q = event_queue_silently(handle);

	if (q == NULL && handle >= 0 && handle < event_queues.n && pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Client queue %d lookup but not inuse", handle);
	return q;
}

/* ---- life ---- */

static int slot_free(void)
{
	struct event_queue **grown;

	for (int i = 0; i < event_queues.n; i++) {
		if (event_queues.slots[i] == NULL)
			return i;
	}
	grown = realloc(event_queues.slots, (size_t)(event_queues.n + 1) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	event_queues.slots = grown;
	grown[event_queues.n] = NULL;
	return event_queues.n++;
}

static int queue_new(const char *name, size_t bytes_max, bool highres, struct event_queue **ret_q)
{
	struct event_queue *q = calloc(1, sizeof(*q));
	int array;

	if (q == NULL)
		return -ENOMEM;
	q->name = strdup(name);
	array = q->name == NULL ? -ENOMEM : pmdaEventNewArray();
	if (array < 0) {
		free(q->name);
		free(q);
		return array;
	}
	q->array = array;
	event_array_of(array)->kept = true; /* an agent cannot release it */
	q->bytes_max = bytes_max;
	q->highres = highres;
	list_init(&q->places);
	event_store_init(&q->events, bytes_max);
	event_image_init(&q->image);
	*ret_q = q;
	return 0;
}

static int queue_add(const char *name, size_t bytes_max, bool highres, unsigned int kept)
{
	struct event_queue *q;
	int handle, r;

	if (name == NULL || bytes_max == 0)
		return -EINVAL;
	if (pmdaEventQueueHandle(name) >= 0)
		return -EEXIST;
	handle = slot_free();
	if (handle < 0)
		return handle;
	r = queue_new(name, bytes_max, highres, &q);
	if (r < 0)
		return r;
	q->kept = kept;
	event_queues.slots[handle] = q;
	return handle;
}

int pmdaEventNewQueue(const char *name, size_t maxbytes)
{
	return queue_add(name, maxbytes, false, 0);
}

int pmdaEventNewActiveQueue(const char *name, size_t maxbytes, unsigned int clients)
{
	return queue_add(name, maxbytes, false, clients);
}

int pmdaEventNewHighResQueue(const char *name, size_t maxbytes)
{
	return queue_add(name, maxbytes, true, 0);
}

/* An array that is the queue's goes. */
static void array_release(int array)
{
	event_array_of(array)->kept = false;
	pmdaEventReleaseArray(array);
}

static void queue_release(struct event_queue *q)
{
	int handle = 0;

	while (event_queues.slots[handle] != q)
		handle++;
	event_queues.slots[handle] = NULL;
	event_client_forget_queue(q);
	array_release(q->array);
	if (q->image.array >= 0)
		array_release(q->image.array);
	event_store_done(&q->events);
	free(q->name);
	free(q);
}

int pmdaEventQueueShare(int queue)
{
	struct event_queue *q = event_queue_of(queue);
	int array;

	if (q == NULL)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	if (q->image.array >= 0)
		return 0;
	array = pmdaEventNewArray();
	if (array < 0)
		return array;
	event_array_of(array)->kept = true;
	q->image.array = array;
	event_image_reset(&q->image, q->events.first);
	return 0;
}

int pmdaEventQueueShutdown(int queue)
{
	struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_shutdown: %s numclients=%u", q->name, q->clients);
	q->ending = true;
	if (q->clients == 0)
		queue_release(q);
	return 0;
}

int pmdaEventQueueRelease(int queue)
{
	struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	q->ending = false; /* not with the last client, whose interest ends in here */
	queue_release(q);
	return 0;
}

/* ---- what is known of a queue ---- */

int pmdaEventQueueHandle(const char *name)
{
	for (int i = 0; i < event_queues.n; i++) {
		const struct event_queue *q = event_queues.slots[i];

		if (q != NULL && strcmp(q->name, name) == 0)
			return i;
	}
	return -ESRCH;
}

int pmdaEventQueueClients(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ul = q->clients + q->kept;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueCounter(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ul = q->appended;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueBytes(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->appended_bytes;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueMemory(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->events.bytes;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueHeld(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = sizeof(*q) + q->events.held + event_array_of(q->array)->cap;
	if (q->image.array >= 0)
		atom->ull += event_array_of(q->image.array)->cap;
	return PMDA_FETCH_STATIC;
}

int pmdaEventQueueTrim(int queue)
{
	struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	if (q->walked)
		return -EBUSY;
	event_store_trim_all(&q->events);
	event_array_shrink(event_array_of(q->array));
	if (q->image.array >= 0) {
		event_array_shrink(event_array_of(q->image.array));
		event_image_reset(&q->image, q->events.first);
	}
	return 0;
}

int pmdaEventQueueDropped(int queue, pmAtomValue *atom)
{
	const struct event_queue *q = event_queue_of(queue);

	if (q == NULL)
		return -EINVAL;
	atom->ull = q->dropped;
	return PMDA_FETCH_STATIC;
}

/* ---- positions ---- */

/* The first event that a client has not had; the position after the newest if it has had all. */
static uint64_t oldest_wanted(const struct event_queue *q)
{
	if (q->kept > 0)
		return q->events.first;
	if (list_empty(&q->places))
		return q->events.next;
	return event_queue_position(q, event_place_of(q->places.next));
}

/* Frees the events that every client has had; when: the word for a trace. */
static void free_passed(struct event_queue *q, const char *when)
{
	uint64_t to = oldest_wanted(q);

	for (uint64_t n = q->events.first; pmDebugOptions.libpmda && n < to; n++)
		pmNotifyErr(LOG_DEBUG, "Removing %s event %p%s", q->name,
			    (void *)event_store_at(&q->events, n), when);
	event_store_drop(&q->events, to);
	event_store_trim(&q->events);
}

/* Puts a place into the list, after those with the same number. */
static void place_insert(struct event_queue *q, struct event_place *place, uint64_t number)
{
	struct list *before = &q->places; /* the place that follows it, or the head */

	while (before->prev != &q->places && event_place_of(before->prev)->number > number)
		before = before->prev;
	place->number = number;
	list_add_tail(before, &place->node);
}

void event_queue_begin(struct event_queue *q, struct event_place *place)
{
	place_insert(q, place, q->kept > 0 ? q->events.first : q->events.next);
	q->clients++;
	q->kept -= q->kept > 0;
}

void event_queue_move(struct event_queue *q, struct event_place *place, uint64_t to)
{
	list_del(&place->node);
	place_insert(q, place, to);
	free_passed(q, " in fetch");
}

void event_queue_leave(struct event_queue *q, struct event_place *place)
{
	list_del(&place->node);
	q->clients--;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_cleanup: %s numclients=%u", q->name, q->clients);
	free_passed(q, "");
	if (q->clients > 0 || !q->ending)
		return;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_cleanup: %s final shutdown=%d", q->name, q->ending);
	queue_release(q);
}
