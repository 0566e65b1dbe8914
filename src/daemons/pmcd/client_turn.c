/*
 * client_turn - a client is served: its bytes are read, it waits for its turn, the turn, and the
 * deadlines of all.
 */
#include "daemons/pmcd/client.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/handshake.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libwire/pdu.h"

static void client_ready(uv_poll_t *handle, int status, int events);

/* Watched events */

static void client_watch(struct client *c, int events)
{
	if (events == c->events)
		return;
	c->events = events;
	if (events == 0)
		uv_poll_stop(&c->poll);
	else
		uv_poll_start(&c->poll, events, client_ready);
}

static bool waits_for_turn(const struct client *c)
{
	return fair_waits(&c->turns[HEAVY_NO]) || fair_waits(&c->turns[HEAVY_YES]);
}

static bool may_be_served(const struct client *c)
{
	return c->state != CLIENT_CLOSED && c->request == NULL &&
	       buffer_pending(&c->out) <= CLIENT_BACKLOG_PAUSE;
}

/* It sends nothing more, and has everything that it asked for. */
static bool is_satisfied(const struct client *c)
{
	return c->ended && c->request == NULL && !waits_for_turn(c) && buffer_pending(&c->out) == 0;
}

/* Reading goes on while a request is under way or waits for its turn, to notice the end, but not
 * beyond one PDU. */
void client_rewatch(struct client *c)
{
	int events = 0;

	if (c->state == CLIENT_CLOSED)
		return;
	if (is_satisfied(c)) {
		client_close(c);
		return;
	}
	if (c->ended)
		events = 0;
	else if ((may_be_served(c) && !waits_for_turn(c)) ||
		 inbox_pending(&c->in) < (size_t)c->server->options->pdu_ceiling)
		events |= UV_READABLE;
	if (buffer_pending(&c->out) > 0)
		events |= UV_WRITABLE;
	client_watch(c, events);
}

static void client_serve(struct client *c, const struct inbox_pdu *pdu)
{
	struct server *server = c->server;

	server_received(server, c->fd, pdu->header.type, 0);
	if (c->state == CLIENT_CONTAINER)
		handshake_container(c, pdu);
	else if (pdu->header.type == PDU_CREDS)
		handshake_creds(c, pdu);
	else if (c->state == CLIENT_GREETED)
		client_close(c); /* without a word, as 6.0.3 does (docs/spec/pdu.md 8.1) */
	else {
		server->counts.requests++;
		request_start(c, pdu);
	}
	if (c->attributes_changed && c->state == CLIENT_SERVED)
		handshake_publish(c);
}

/*
 * Work
 */

/* The header of a PDU that is there as a whole. 1, 0 if it is not, or an error for an impossible
 * header. */
static int next_header(const struct client *c, struct pdu_header *ret_header)
{
	int r = inbox_peek(&c->in, (size_t)c->server->options->pdu_ceiling, ret_header);

	return r > 0 && inbox_pending(&c->in) < ret_header->len ? 0 : r;
}

static uint64_t expected_ns(const struct client *c, const struct pdu_header *header)
{
	uint64_t expected = heavy_expected_ns(header);
	uint32_t learnt = c->cost_ns > c->agent_ns ? c->cost_ns : c->agent_ns;

	return expected > learnt ? expected : learnt;
}

static enum heavy_class class_of(const struct client *c, const struct pdu_header *header)
{
	return expected_ns(c, header) > HEAVY_NS ? HEAVY_YES : HEAVY_NO;
}

/* Waits to be served, in the class of its next request. False if it has no whole one. */
static bool client_queue(struct client *c)
{
	struct pdu_header header;
	enum heavy_class heavy;
	size_t n;
	int r;

	if (waits_for_turn(c))
		return true;
	r = next_header(c, &header);
	if (r == 0)
		return false;
	if (r < 0) { /* its turn closes it */
		fair_add(&c->server->clients.fair[HEAVY_NO], &c->turns[HEAVY_NO], 0);
		return true;
	}
	heavy = class_of(c, &header);
	n = inbox_pending(&c->in) / header.len; /* about so many like it wait */
	n = n < CLIENT_TURN_PDUS ? n : CLIENT_TURN_PDUS;
	fair_add(&c->server->clients.fair[heavy], &c->turns[heavy], n * expected_ns(c, &header));
	return true;
}

void client_run_later(struct client *c)
{
	if (client_queue(c))
		loop_want_work(&c->server->loop);
}

/* A heavy request whose agent is busy with another one is not begun. */
static bool turn_hold(struct client *c, const struct pdu_header *header)
{
	struct agent *a;

	a = c->heavy && c->state == CLIENT_SERVED ? heavy_busy_agent(c->server, &c->in, header)
						  : NULL;
	if (a == NULL)
		return false;
	fair_hold(&c->server->clients.fair[HEAVY_YES], &c->turns[HEAVY_YES], &a->held,
		  expected_ns(c, header));
	return true;
}

/* Replies of this turn count like those of earlier ones: what is much is sent before more is made,
 * and the others come first. */
static bool has_much_to_send(const struct client *c)
{
	const struct server *server = c->server;

	return server->clients.scratch_owner == c &&
	       buffer_pending(&server->clients.scratch) > CLIENT_BACKLOG_PAUSE;
}

/*
 * Serves at most a turn's worth, until end_ns. 0: nothing more that is whole, or it is held; 1:
 * more to be served; negative: the client has broken the protocol. *ret_served is the number of
 * requests.
 */
static int serve_turn(struct client *c, uint64_t end_ns, unsigned int *ret_served)
{
	size_t ceiling = (size_t)c->server->options->pdu_ceiling;
	struct inbox_pdu pdu;
	bool heavy;
	int r;

	for (*ret_served = 0; *ret_served < CLIENT_TURN_PDUS; ++*ret_served) {
		if (!may_be_served(c))
			return 0;
		r = next_header(c, &pdu.header);
		if (r <= 0)
			return r;
		heavy = class_of(c, &pdu.header) == HEAVY_YES;
		if (*ret_served > 0 && heavy != c->heavy)
			return 1; /* it waits in the other class */
		c->heavy = heavy;
		c->served_ms = loop_run_ms(&c->server->loop);
		if (turn_hold(c, &pdu.header))
			return 0;
		inbox_take(&c->in, ceiling, &pdu);
		/* The next PDU has a clock of its own. */
		if (buffer_pending(&c->out) == 0)
			list_del(&c->waiting);
		client_serve(c, &pdu);
		if (has_much_to_send(c) ||
		    (inbox_pending(&c->in) > 0 && loop_mono_ns(&c->server->loop) >= end_ns)) {
			++*ret_served;
			return 1;
		}
	}
	return 1;
}

/* The clock of half a PDU runs from its first byte, while we are the ones who wait. */
static void watch_partial(struct client *c)
{
	bool partial = inbox_pending(&c->in) > 0 && may_be_served(c) && !waits_for_turn(c);

	if (buffer_pending(&c->out) > 0)
		return; /* it is among the stalled */
	if (!partial)
		list_del(&c->waiting);
	else if (list_empty(&c->waiting))
		client_wait(c, &c->server->clients.partial);
}

static void charge(struct client *c, uint64_t ns)
{
	enum heavy_class heavy = c->heavy ? HEAVY_YES : HEAVY_NO;

	fair_charge(&c->server->clients.fair[heavy], &c->turns[heavy], ns);
}

/* Serves and sends, on the client's account. */
static int take_turn(struct client *c)
{
	struct server *server = c->server;
	uint64_t start_ns = loop_mono_ns(&server->loop), spent_ns;
	unsigned int served;
	int r;

	for (int i = 0; i < HEAVY_CLASSES; i++)
		fair_begin(&server->clients.fair[i], &c->turns[i]);
	server->clients.serving = c;
	r = serve_turn(c, start_ns + CLIENT_TURN_NS, &served);
	server->clients.serving = NULL;
	if (r < 0)
		client_close(c);
	client_flush(c);
	spent_ns = loop_mono_ns(&server->loop) - start_ns;
	server->loop.spent_ns += spent_ns;
	charge(c, spent_ns);
	if (served > 0)
		client_learn(&c->cost_ns, spent_ns / served);
	if (c->heavy && c->request != NULL)
		c->heavy_ns = start_ns;
	return r;
}

void client_work(struct client *c)
{
	int r = take_turn(c);

	if (c->state == CLIENT_CLOSED)
		return;
	if (inbox_settle(&c->in) < 0) {
		client_close(c);
		return;
	}
	if (r > 0)
		client_run_later(c);
	watch_partial(c);
	client_rewatch(c);
}

/* It does not even listen any more. Of a TCP peer that shows when something is sent. */
static bool has_hung_up(const struct client *c)
{
	struct pollfd p = {.fd = c->fd};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

/* Others wait, and it has something whole to be served. */
static void wait_for_turn(struct client *c)
{
	if (inbox_settle(&c->in) < 0) {
		client_close(c);
		return;
	}
	client_run_later(c);
	watch_partial(c);
	client_rewatch(c);
}

static void client_read(struct client *c)
{
	struct pdu_header header;
	long n = inbox_receive(&c->in, c->fd, &c->server->loop.shared, CLIENT_READ_MAX);

	if (n == -EAGAIN)
		return;
	if (n < 0 || (n == 0 && has_hung_up(c))) {
		client_close(c);
		return;
	}
	c->ended = n == 0;
	if (n > 0 && may_be_served(c) && next_header(c, &header) > 0 &&
	    !server_has_time(c->server, class_of(c, &header)))
		wait_for_turn(c);
	else
		client_work(c);
}

static void client_ready(uv_poll_t *handle, int status, int events)
{
	struct client *c = CONTAINER_OF(handle, struct client, poll);

	if (status < 0) {
		client_close(c);
		return;
	}
	if ((events & UV_WRITABLE) != 0) {
		client_flush(c);
		if (c->state == CLIENT_CLOSED)
			return;
		if (may_be_served(c) && inbox_pending(&c->in) > 0) {
			client_run_later(c);
			watch_partial(c);
		}
	}
	if ((events & UV_READABLE) != 0 && (c->events & UV_READABLE) != 0)
		client_read(c);
	else
		client_rewatch(c);
}

void client_request_over(struct client *c)
{
	c->request = NULL;
	if (c->heavy_ns != 0) /* an agent was busy with it */
		charge(c, loop_mono_ns(&c->server->loop) - c->heavy_ns);
	c->heavy_ns = 0;
	if (c->server->clients.serving == c)
		return; /* client_work sends, and goes on by itself */
	client_flush(c);
	if (c->state == CLIENT_CLOSED)
		return;
	if (inbox_pending(&c->in) > 0) {
		client_run_later(c);
		watch_partial(c);
	}
	client_rewatch(c);
}

/*
 * Clients that are held because an agent is busy
 */

static void release_first(struct agent *a)
{
	struct client *c =
	    HEAP_ENTRY(heap_first(&a->held), struct client, turns[HEAVY_YES].place.by_key);

	fair_del(&c->server->clients.fair[HEAVY_YES], &c->turns[HEAVY_YES]);
	client_run_later(c);
}

void client_release_some(struct server *server)
{
	for (unsigned int i = 0; i < server->agents.count; i++) {
		struct agent *a = server->agents.all[i];

		if (a->nheavy == 0 && !heap_empty(&a->held))
			release_first(a);
	}
}

void client_release_all(struct agent *a)
{
	while (!heap_empty(&a->held))
		release_first(a);
}

/*
 * Deadlines
 */

static bool is_over(const struct list *pos, uint64_t now_ms, uint64_t limit_ms)
{
	return now_ms - LIST_ENTRY(pos, struct client, waiting)->waiting_ms >= limit_ms;
}

bool client_tick_all(struct server *server, uint64_t now_ms)
{
	uint64_t timeout_ms = server_timeout_ms(server);

	/* Always the first: its end may, without memory, end an agent, and that more clients. */
	while (timeout_ms != 0 && !list_empty(&server->clients.partial) &&
	       is_over(server->clients.partial.next, now_ms, timeout_ms))
		client_close(LIST_ENTRY(server->clients.partial.next, struct client, waiting));
	while (!list_empty(&server->clients.stalled) &&
	       is_over(server->clients.stalled.next, now_ms, CLIENT_STALL_MS)) {
		struct client *c = LIST_ENTRY(server->clients.stalled.next, struct client, waiting);

		log_often("client[%u] does not read its replies: cut off", c->index);
		client_close(c);
	}
	while (timeout_ms != 0 && !list_empty(&server->clients.greeting)) {
		struct client *c =
		    LIST_ENTRY(server->clients.greeting.next, struct client, greeting);

		if (now_ms - c->greeted_ms < timeout_ms)
			break;
		client_close(c);
	}
	return !list_empty(&server->clients.partial) || !list_empty(&server->clients.stalled) ||
	       (timeout_ms != 0 && !list_empty(&server->clients.greeting));
}
