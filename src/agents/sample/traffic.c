/* traffic - how many requests have come and been answered, in all and of each client. */
#include <stdlib.h>

#include "sample.h"

enum { RECEIVED = 1, SENT = 2 };

struct traffic {
	int context;
	unsigned int received, sent;
};

static struct traffic all;
static struct traffic *clients; /* those that have asked and not gone */
static int nclients, most_clients;
static int current = -1; /* index of the one who asks */
static int started, ended;

static struct traffic *traffic_find(int context)
{
	for (int i = 0; i < nclients; i++)
		if (clients[i].context == context)
			return &clients[i];
	return NULL;
}

static struct traffic *add(int context)
{
	struct traffic *more;

	if (nclients == most_clients) {
		more = realloc(clients, (size_t)(nclients + 1) * sizeof(*clients));
		if (more == NULL)
			return NULL;
		clients = more;
		most_clients++;
	}
	clients[nclients] = (struct traffic){.context = context};
	started++;
	return &clients[nclients++];
}

void traffic_count(int context, int is_answered)
{
	struct traffic *client = traffic_find(context);

	all.received++;
	all.sent += (unsigned int)is_answered;
	if (client == NULL)
		client = add(context);
	current = client != NULL ? (int)(client - clients) : -1;
	if (client == NULL)
		return;
	client->received++;
	client->sent += (unsigned int)is_answered;
}

void traffic_end(int context)
{
	struct traffic *client = traffic_find(context);

	if (client == NULL)
		return;
	*client = clients[--nclients];
	current = -1;
	ended++;
}

/* The row's arg says which are added up. */
static unsigned int sum(const struct agent_metric *row, const struct traffic *traffic)
{
	return ((row->value.arg & RECEIVED) != 0 ? traffic->received : 0) +
	       ((row->value.arg & SENT) != 0 ? traffic->sent : 0);
}

static int total(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return sample_number(call->metric->type, sum(call->metric, &all), ret_atom);
}

/* Whatever is stored: zero. */
static int store_total(const struct agent_call *call, const pmAtomValue *atom)
{
	if ((call->metric->value.arg & RECEIVED) != 0)
		all.received = 0;
	if ((call->metric->value.arg & SENT) != 0)
		all.sent = 0;
	return 0;
}

static int of_client(const struct agent_call *call, pmAtomValue *ret_atom)
{
	if (current < 0)
		return PMDA_FETCH_NOVALUES;
	return sample_number(call->metric->type, sum(call->metric, &clients[current]), ret_atom);
}

/* By the row's arg. */
static int contexts(const struct agent_call *call, pmAtomValue *ret_atom)
{
	const int numbers[] = {most_clients, nclients, started, ended};

	ret_atom->l = numbers[call->metric->value.arg];
	return PMDA_FETCH_STATIC;
}

/* clang-format off */
#define TOTAL(name, item, type, what, text) \
    {name, 0, item, type, PM_SEM_COUNTER, ONE_VALUE, COUNT, AGENT_CALLS(total, store_total, what), text, NULL, 0}
#define CLIENT(name, item, what, text) \
    {"percontext." name, 0, item, PM_TYPE_32, PM_SEM_COUNTER, ONE_VALUE, COUNT, AGENT_GET_ARG(of_client, what), text, \
     NULL, 0}
#define CONTROL(name, item, which, text) \
    {"percontext.control." name, 0, item, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, COUNT, \
     AGENT_GET_ARG(contexts, which), text, NULL, 0}

static const struct agent_metric rows[] = {
    TOTAL("pdu", 40, PM_TYPE_U64, RECEIVED | SENT, "Requests and answers; a store makes them 0"),
    TOTAL("recv_pdu", 41, PM_TYPE_U32, RECEIVED, "Requests; a store makes them 0"),
    TOTAL("xmit_pdu", 42, PM_TYPE_U32, SENT, "Answers; a store makes them 0"),
    CLIENT("pdu", 43, RECEIVED | SENT, "Requests of the client that asks, and answers to it"),
    CLIENT("recv_pdu", 44, RECEIVED, "Requests of the client that asks"),
    CLIENT("xmit_pdu", 45, SENT, "Answers to the client that asks"),
    CONTROL("ctx", 122, 0, "Clients at one time, at most"),
    CONTROL("active", 123, 1, "Clients that have asked and not gone"),
    CONTROL("start", 124, 2, "Clients that have begun to ask"),
    CONTROL("end", 125, 3, "Clients that have gone"),
};
/* clang-format on */

ROWS_CLUSTER(traffic, rows);
