/*
 * event_queue - see event_queue.h: queues, and the clients that read them. Appending and taking
 * events is in event_records.c, and what an agent reports of a queue in event_counts.c.
 */
#include "libpcp_pmda/event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/event_queue.h>

#include "libbase/hash.h"
#include "libpcp_pmda/event_array.h"

/* ---- Clients -------------------------------------------------------------------------------- */

struct client {
	bool used;
	int context;
	int ninterests;
	struct event_interest **interests; /* by queue, each NULL or an interest */
};

static struct client *client_slots; /* slots, of which the lowest free one is taken */
static int nslots;
static int nused;

/* Slots by context: an entry is the index of the slot and 1, so that none is NULL. */
static struct hash by_context = {0};

static uint64_t context_hash(int context)
{
	return hash_u64((uint32_t)context); /* one to one: the hash alone decides */
}

/* The slot of a context, or -1. */
static int client_slot_of(int context)
{
	return (int)(intptr_t)hash_find(&by_context, context_hash(context), NULL, NULL) - 1;
}

static int client_slot_free(void)
{
	struct client *grown;

	for (int i = 0; i < nslots; i++) {
		if (!client_slots[i].used)
			return i;
	}
	grown = realloc(client_slots, (size_t)(nslots + 1) * sizeof(*client_slots));
	if (grown == NULL)
		return -ENOMEM;
	client_slots = grown;
	client_slots[nslots] = (struct client){0};
	return nslots++;
}

int pmdaEventNewClient(int context)
{
	int slot = client_slot_of(context);

	if (slot >= 0)
		return slot;
	slot = client_slot_free();
	if (slot < 0)
		return slot;
	if (hash_add(&by_context, context_hash(context), (void *)(intptr_t)(slot + 1)) < 0)
		return -ENOMEM;
	client_slots[slot] = (struct client){.used = true, .context = context};
	nused++;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaEventNewClient: slot=%d (total=%d) context=%d", slot,
			    nslots, context);
	return slot;
}

int pmdaEventClients(pmAtomValue *atom)
{
	atom->ul = (uint32_t)nused;
	return PMDA_FETCH_STATIC;
}

/* ---- interests ------------------------------------------------------------------------------ */

static int interests_reserve(struct client *c, int queue)
{
	struct event_interest **grown;

	if (queue < c->ninterests)
		return 0;
	grown = realloc(c->interests, (size_t)(queue + 1) * sizeof(struct event_interest *));
	if (grown == NULL)
		return -ENOMEM;
	for (int i = c->ninterests; i <= queue; i++)
		grown[i] = NULL;
	c->interests = grown;
	c->ninterests = queue + 1;
	return 0;
}

int event_client_interest(int context, int queue, struct event_interest **ret_interest)
{
	struct event_queue *q = event_queue_of(queue);
	int slot = client_slot_of(context);
	struct client *c;

	if (q == NULL || slot < 0)
		return -EINVAL;
	c = &client_slots[slot];
	if (interests_reserve(c, queue) < 0)
		return -ENOMEM;
	if (c->interests[queue] == NULL) {
		c->interests[queue] = calloc(1, sizeof(struct event_interest));
		if (c->interests[queue] == NULL)
			return -ENOMEM;
		c->interests[queue]->queue = q;
	}
	*ret_interest = c->interests[queue];
	return 0;
}

/* An interest ends; its queue may go with it. */
static void interest_free(struct event_interest *in)
{
	if (in->release != NULL)
		in->release(in->filter);
	if (in->begun)
		event_queue_leave(in->queue, &in->place);
	free(in);
}

/* A queue ends: the interests that are left, none of which has begun, go and release filters. */
static void event_client_forget_queue(const struct event_queue *q)
{
	for (int i = 0; i < nslots; i++) {
		for (int j = 0; j < client_slots[i].ninterests; j++) {
			struct event_interest *in = client_slots[i].interests[j];

			if (in == NULL || in->queue != q)
				continue;
			client_slots[i].interests[j] = NULL;
			interest_free(in);
		}
	}
}

static bool client_is_walked(const struct client *c)
{
	for (int i = 0; i < c->ninterests; i++) {
		if (c->interests[i] != NULL && c->interests[i]->walked)
			return true;
	}
	return false;
}

int pmdaEventEndClient(int context)
{
	int slot = client_slot_of(context);
	struct client gone;

	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaEventEndClient ctx=%d slot=%d", context, slot);
	if (slot < 0)
		return 0; /* clients that never asked for events end too */
	if (client_is_walked(&client_slots[slot]))
		return -EBUSY;
	gone = client_slots[slot];
	client_slots[slot] = (struct client){0};
	nused--;
	hash_del(&by_context, context_hash(context), (void *)(intptr_t)(slot + 1));
	for (int i = 0; i < gone.ninterests; i++) {
		if (gone.interests[i] != NULL)
			interest_free(gone.interests[i]);
	}
	free(gone.interests);
	return 0;
}

int pmdaEventSetFilter(int context, int queue, void *data, pmdaEventApplyFilterCallBack apply,
		       pmdaEventReleaseFilterCallBack release)
{
	struct event_interest *in;
	int r = event_client_interest(context, queue, &in);

	if (r < 0)
		return r;
	if (in->walked)
		return -EBUSY;
	if (in->filter != NULL && in->release != NULL)
		in->release(in->filter);
	in->filter = data;
	in->apply = apply;
	in->release = release;
	in->access = true;
	in->decided = true;
	return 0;
}

int pmdaEventSetAccess(int context, int queue, int allow)
{
	struct event_interest *in;
	int r = event_client_interest(context, queue, &in);

	if (r < 0)
		return r;
	in->access = allow != 0;
	in->decided = true;
	return 0;
}

/* ---- Queues --------------------------------------------------------------------------------- */

struct event_queue_table event_queues;

struct event_queue *event_queue_of(int handle)
{
	struct event_queue *q = event_queue_silently(handle);

	if (q == NULL && handle >= 0 && handle < event_queues.n && pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "Client queue %d lookup but not inuse", handle);
	return q;
}

int pmdaEventQueueHandle(const char *name)
{
	for (int i = 0; i < event_queues.n; i++) {
		const struct event_queue *q = event_queues.slots[i];

		if (q != NULL && strcmp(q->name, name) == 0)
			return i;
	}
	return -ESRCH;
}

/* ---- life ----------------------------------------------------------------------------------- */

static int queue_slot_free(void)
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
	handle = queue_slot_free();
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

/* Releases an array of the queue. */
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
	q->ending = false; /* the end of the last interest must not free it */
	queue_release(q);
	return 0;
}

/* ---- positions ------------------------------------------------------------------------------ */

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
