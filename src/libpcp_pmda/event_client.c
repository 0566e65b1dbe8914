/* event_client - see event_client.h. */
#include "libpcp_pmda/event_client.h"

#include <errno.h>
#include <stdlib.h>

#include "libbase/hash.h"

struct client {
	bool used;
	int context;
	int ninterests;
	struct event_interest **interests; /* by queue, each NULL or an interest */
};

static struct client *clients; /* slots, of which the lowest free one is taken */
static int nclients;
static int nused;

/* Slots by context: an entry is the index of the slot and 1, so that none is NULL. */
static struct hash by_context = {0};

static uint64_t context_hash(int context)
{
	return hash_u64((uint32_t)context); /* one to one: the hash alone decides */
}

/* The slot of a context, or -1. */
static int slot_of(int context)
{
	return (int)(intptr_t)hash_find(&by_context, context_hash(context), NULL, NULL) - 1;
}

static int slot_free(void)
{
	struct client *grown;

	for (int i = 0; i < nclients; i++) {
		if (!clients[i].used)
			return i;
	}
	grown = realloc(clients, (size_t)(nclients + 1) * sizeof(*clients));
	if (grown == NULL)
		return -ENOMEM;
	clients = grown;
	clients[nclients] = (struct client){0};
	return nclients++;
}

int pmdaEventNewClient(int context)
{
	int slot = slot_of(context);

	if (slot >= 0)
		return slot;
	slot = slot_free();
	if (slot < 0)
		return slot;
	if (hash_add(&by_context, context_hash(context), (void *)(intptr_t)(slot + 1)) < 0)
		return -ENOMEM;
	clients[slot] = (struct client){.used = true, .context = context};
	nused++;
	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaEventNewClient: slot=%d (total=%d) context=%d", slot,
			    nclients, context);
	return slot;
}

int pmdaEventClients(pmAtomValue *atom)
{
	atom->ul = (uint32_t)nused;
	return PMDA_FETCH_STATIC;
}

/* ---- interests ---- */

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
	int slot = slot_of(context);
	struct client *c;

	if (q == NULL || slot < 0)
		return -EINVAL;
	c = &clients[slot];
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

void event_client_forget_queue(const struct event_queue *q)
{
	for (int i = 0; i < nclients; i++) {
		for (int j = 0; j < clients[i].ninterests; j++) {
			struct event_interest *in = clients[i].interests[j];

			if (in == NULL || in->queue != q)
				continue;
			clients[i].interests[j] = NULL;
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
	int slot = slot_of(context);
	struct client gone;

	if (pmDebugOptions.libpmda)
		pmNotifyErr(LOG_DEBUG, "pmdaEventEndClient ctx=%d slot=%d", context, slot);
	if (slot < 0)
		return 0; /* clients that never asked for events end too */
	if (client_is_walked(&clients[slot]))
		return -EBUSY;
	gone = clients[slot];
	clients[slot] = (struct client){0};
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
