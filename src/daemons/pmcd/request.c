/* request - see request.h. */
#include "daemons/pmcd/request.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/client_out.h"
#include "daemons/pmcd/desc.h"
#include "daemons/pmcd/fetch.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/name_request.h"
#include "daemons/pmcd/server.h"
#include "daemons/pmcd/single.h"
#include "daemons/pmcd/store.h"

/* PROFILE has no reply (docs/spec/pdu.md 12). */
static int profile_start(struct request *req)
{
	struct profile_pool *pool = &req->server->profiles;
	struct profile *p;
	int r;

	if (req->body.profile.slot < 0)
		return PM_ERR_IPC;
	p = profile_get(pool, &req->body.profile.profile);
	if (p == NULL)
		return -ENOMEM;
	r = profile_slots_set(&req->client->profiles, pool, req->body.profile.slot, p);
	profile_put(pool, p);
	return r;
}

struct request_kind {
	uint32_t type;
	unsigned int right; /* enum config_op bit */
	bool heavy;
	int (*start)(struct request *req);
};

/* clang-format off */
static const struct request_kind kinds[] = {
	{ PDU_PROFILE,       CONFIG_OP_FETCH, false, profile_start },
	{ PDU_FETCH,         CONFIG_OP_FETCH, false, fetch_start },
	{ PDU_HIGHRES_FETCH, CONFIG_OP_FETCH, false, fetch_start },
	{ PDU_DESC_REQ,      CONFIG_OP_FETCH, false, single_desc_start },
	{ PDU_DESC_IDS,      CONFIG_OP_FETCH, false, desc_ids_start },
	{ PDU_INSTANCE_REQ,  CONFIG_OP_FETCH, false, single_instance_start },
	{ PDU_TEXT_REQ,      CONFIG_OP_FETCH, false, single_text_start },
	{ PDU_LABEL_REQ,     CONFIG_OP_FETCH, false, single_label_start },
	{ PDU_PMNS_IDS,      CONFIG_OP_FETCH, false, name_ids_start },
	{ PDU_PMNS_NAMES,    CONFIG_OP_FETCH, false, name_names_start },
	{ PDU_PMNS_CHILD,    CONFIG_OP_FETCH, true,  name_child_start },
	{ PDU_PMNS_TRAVERSE, CONFIG_OP_FETCH, true,  name_traverse_start },
	{ PDU_RESULT,        CONFIG_OP_STORE, false, store_start },
};
/* clang-format on */

static const struct request_kind *request_kind(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].type == type)
			return &kinds[i];
	}
	return NULL;
}

bool request_is_heavy(uint32_t type)
{
	const struct request_kind *kind = request_kind(type);

	return kind != NULL && kind->heavy;
}

static struct request *request_get(struct client *c)
{
	struct server *server = c->server;
	struct request *req;

	if (server->requests.nspare > 0) {
		req = LIST_ENTRY(server->requests.spare.next, struct request, node);
		list_del(&req->node);
		server->requests.nspare--;
	} else {
		req = calloc(1, sizeof(*req));
		if (req == NULL)
			return NULL;
		list_init(&req->node);
	}
	req->server = server;
	req->client = c;
	req->ctx = c->index;
	req->heavy = c->heavy;
	return req;
}

static void request_put(struct request *req)
{
	struct server *server = req->server;
	struct arena mem;

	if (req->done != NULL)
		req->done(req);
	if (server->requests.nspare == REQUEST_SPARE_MAX) {
		arena_done(&req->mem);
		free(req);
		return;
	}
	if (req->mem.used > REQUEST_SPARE_KEEP && server->requests.nspare >= REQUEST_SPARE_LARGE)
		arena_done(&req->mem);
	arena_reset(&req->mem);
	mem = req->mem;
	*req = (struct request){.mem = mem};
	list_init(&req->node);
	/* The newest spare one is used first: its memory is in the cache. */
	list_add_tail(server->requests.spare.next, &req->node);
	server->requests.nspare++;
}

void request_pool_done(struct server *server)
{
	LIST_FOR_EACH (pos, &server->requests.spare) {
		struct request *req = LIST_ENTRY(pos, struct request, node);

		list_del(&req->node);
		arena_done(&req->mem);
		free(req);
	}
	server->requests.nspare = 0;
}

struct buffer *request_out(struct request *req)
{
	return req->client != NULL ? client_out(req->client) : NULL;
}

void request_sent(struct request *req, enum pdu_type type)
{
	server_sent(req->server, req->client->fd, type, 0);
}

int request_reply(struct request *req, enum pdu_type type, const union pdu_body *body)
{
	struct buffer *out = request_out(req);
	int r;

	if (out == NULL)
		return 0;
	r = pdu_encode(out, type, 0, body);
	if (r == 0)
		request_sent(req, type);
	return r;
}

/* An answer to the client, if it is still there. A failed request is answered with its error. */
static void request_conclude(struct request *req, int status)
{
	struct client *c = req->client;

	if (c != NULL && status < 0)
		client_error(c, status);
	if (c != NULL && heavy_asks_agents(req->type))
		client_learn(c, req->agent_ns);
	request_put(req);
	if (c != NULL)
		client_request_over(c);
}

static void request_release(struct request *req)
{
	if (--req->pending == 0)
		request_conclude(req, req->finish != NULL ? req->finish(req) : 0);
}

static int request_decode(struct request *req, const struct inbox_pdu *pdu)
{
	req->type = pdu->header.type;
	req->bytes = pdu->bytes;
	req->len = pdu->header.len;
	return pdu_decode(req->bytes, req->len, &req->mem, &req->body);
}

void request_start(struct client *c, const struct inbox_pdu *pdu)
{
	const struct request_kind *kind = request_kind(pdu->header.type);
	struct request *req;
	int r;

	if (kind == NULL) {
		client_error(c, PM_ERR_IPC);
		return;
	}
	if ((c->denied & kind->right) != 0) {
		client_error(c, PM_ERR_PERMISSION);
		return;
	}
	req = request_get(c);
	if (req == NULL) {
		client_error(c, -ENOMEM);
		return;
	}
	c->request = req;
	req->pending = 1; /* ours: nothing finishes before all parts were asked */
	r = request_decode(req, pdu);
	if (r == 0)
		r = kind->start(req);
	req->bytes = NULL;
	if (r < 0 && req->pending == 1)
		request_conclude(req, r);
	else
		request_release(req);
}

/* An agent in this process answers within ask_next, hence the guard. */
void request_pump(struct request *req)
{
	if (req->pumping)
		return;
	req->pumping = true;
	while (req->client != NULL && req->asked < req->total && req->pending <= REQUEST_WINDOW)
		req->ask_next(req, req->asked++);
	req->pumping = false;
}

void request_answer(struct request *req, unsigned int part, const struct answer *answer)
{
	req->answered(req, part, answer);
	request_pump(req);
	request_release(req);
}

int request_route(struct request *req, unsigned int domain, int unknown, struct agent **ret_agent)
{
	struct agent *a = server_agent(req->server, domain);
	int r;

	if (a == NULL)
		return unknown;
	r = agent_refusal(a);
	if (r < 0)
		return r;
	*ret_agent = a;
	return 0;
}
