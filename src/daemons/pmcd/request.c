/* request - see request.h. */
#include "daemons/pmcd/request.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/server.h"

static void request_answer(struct request *req, unsigned int part, const struct answer *answer);

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
	req->answer = request_answer;
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
		client_learn(&c->agent_ns, req->agent_ns);
	request_put(req);
	if (c != NULL)
		c->server->clients.ops->request_over(c);
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

void request_begin(struct client *c, const struct inbox_pdu *pdu, int (*start)(struct request *req))
{
	struct request *req = request_get(c);
	int r;

	if (req == NULL) {
		client_error(c, -ENOMEM);
		return;
	}
	c->request = req;
	req->pending = 1; /* ours: nothing finishes before all parts were asked */
	r = request_decode(req, pdu);
	if (r == 0)
		r = start(req);
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

static void request_answer(struct request *req, unsigned int part, const struct answer *answer)
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
