/* event_queue - see event_queue.h. Here are the calls of <pcp/pmda.h> but for reading. */
#include "libpcp_pmda/event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libpcp_pmda/event_array.h"
#include "libpcp_pmda/event_client.h"

static struct event_queue **queues; /* by handle, each NULL or a queue */
static int nqueues;

struct event_queue *event_queue_of(int handle)
{
	if (handle < 0 || handle >= nqueues)
		return NULL;
	if (queues[handle] == NULL && pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Client queue %d lookup but not inuse", handle);
	return queues[handle];
}

/* ---- life ---- */

static int slot_free(void)
{
	struct event_queue **grown;

	for (int i = 0; i < nqueues; i++) {
		if (queues[i] == NULL)
			return i;
	}
	grown = realloc(queues, (size_t)(nqueues + 1) * sizeof(*queues));
	if (grown == NULL)
		return -ENOMEM;
	queues = grown;
	queues[nqueues] = NULL;
	return nqueues++;
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
	queues[handle] = q;
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

	while (queues[handle] != q)
		handle++;
	queues[handle] = NULL;
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

/* ---- what is known of a queue ---- */

int pmdaEventQueueHandle(const char *name)
{
	for (int i = 0; i < nqueues; i++) {
		if (queues[i] != NULL && strcmp(queues[i]->name, name) == 0)
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

/* ---- positions ---- */

/* How many clients stand at a number. */
static uint32_t *readers_at(struct event_queue *q, uint64_t number)
{
	return number == q->events.next ? &q->waiting
					: &event_store_at(&q->events, number)->readers;
}

static void trace_event(const struct event_queue *q, const char *fmt, const struct event *e)
{
	pmNotifyErr(LOG_DEBUG, fmt, q->name, (const void *)e, (int)e->size);
}

/* Frees the events that nobody is still to have. */
static void free_passed(struct event_queue *q)
{
	struct event_store *s = &q->events;

	if (q->kept > 0)
		return;
	while (s->first < s->next && event_store_at(s, s->first)->readers == 0) {
		if (pmDebugOptions.libpmda)
			trace_event(q, "Removing %s event %p (%d bytes)",
				    event_store_at(s, s->first));
		event_store_drop(s);
	}
	event_store_trim(s);
}

uint64_t event_queue_begin(struct event_queue *q)
{
	uint64_t at = q->events.next;

	if (q->kept > 0) {
		q->kept--;
		at = q->events.first;
	}
	q->clients++;
	++*readers_at(q, at);
	return at;
}

void event_queue_move(struct event_queue *q, uint64_t from, uint64_t to)
{
	if (from == to)
		return;
	--*readers_at(q, from);
	++*readers_at(q, to);
	if (from == q->events.first)
		free_passed(q);
}

void event_queue_leave(struct event_queue *q, uint64_t at)
{
	q->clients--;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_cleanup: %s numclients=%u", q->name, q->clients);
	--*readers_at(q, at);
	if (at == q->events.first)
		free_passed(q);
	if (q->clients > 0 || !q->ending)
		return;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "queue_cleanup: %s final shutdown=%d", q->name, q->ending);
	queue_release(q);
}

/* ---- appending ---- */

/* The oldest event goes unseen by those who stand there. */
static void drop_oldest(struct event_queue *q)
{
	struct event *e = event_store_at(&q->events, q->events.first);
	uint32_t readers = e->readers;

	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Dropping %s: e=%p sz=%d max=%d qsz=%d", q->name, (void *)e,
			    (int)e->size, (int)q->bytes_max, (int)q->events.bytes);
	if (pmDebugOptions.libpmda && readers > 0)
		pmNotifyErr(LOG_DEBUG, "Client missed queue %s event %p", q->name, (void *)e);
	q->dropped_stamp = e->stamp;
	event_store_drop(&q->events);
	*readers_at(q, q->events.first) += readers;
}

/* Events without bytes are bounded too: there are never more events than bytes allowed. */
static bool is_short_of_room(const struct event_queue *q, size_t size)
{
	return size > q->bytes_max - q->events.bytes ||
	       event_store_count(&q->events) >= q->bytes_max;
}

static int store_event(struct event_queue *q, const void *data, size_t size,
		       const union event_stamp *stamp)
{
	struct event *e;

	if (event_store_reserve(&q->events, size) < 0) {
		pmNotifyErr(LOG_ERR, "event allocation failure: %ld bytes", (long)size);
		return -ENOMEM;
	}
	while (is_short_of_room(q, size))
		drop_oldest(q);
	e = event_store_append(&q->events, data, size, stamp);
	e->readers = q->waiting;
	q->waiting = 0;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Inserted %s event %p (%ld bytes) clients = %u", q->name,
			    (void *)e, (long)size, q->clients + q->kept);
	return 0;
}

static void refuse_event(struct event_queue *q, size_t size, const union event_stamp *stamp)
{
	pmNotifyErr(LOG_WARNING, "Event too large for queue %s (%ld > %ld)", q->name, (long)size,
		    (long)q->bytes_max);
	q->oversized++;
	q->oversized_before = q->events.next;
	q->oversized_stamp = *stamp;
}

static int queue_append(int handle, bool highres, const void *data, size_t size,
			const union event_stamp *stamp)
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
	q->appended++;
	q->appended_bytes += size;
	return 0;
}

/* The stamps go through as they lie there: copied to the stack in halves they would be waited for
 * when they are read whole. */
int pmdaEventQueueAppend(int queue, void *data, size_t size, struct timeval *stamp)
{
	return queue_append(queue, false, data, size, (const union event_stamp *)stamp);
}

int pmdaEventHighResQueueAppend(int queue, void *data, size_t size, struct timespec *stamp)
{
	return queue_append(queue, true, data, size, (const union event_stamp *)stamp);
}
