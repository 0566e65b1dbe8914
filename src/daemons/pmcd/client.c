/* client - see client.h: one connection and its output. */
#include "daemons/pmcd/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemons/pmcd/clients.h"
#include "daemons/pmcd/server.h"
#include "libwire/pdu.h"

void client_wait(struct client *c, struct list *where)
{
	list_del(&c->waiting);
	c->waiting_ms = loop_run_ms(&c->server->loop);
	list_add_tail(where, &c->waiting);
	loop_want_tick(&c->server->loop);
}

/*
 * Coming and going
 */

char *client_peer_name(const struct client *c, char *buf, size_t size)
{
	switch (c->peer.any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &c->peer.in.sin_addr, buf, (socklen_t)size);
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &c->peer.in6.sin6_addr, buf, (socklen_t)size);
		break;
	default:
		snprintf(buf, size, "unix:");
	}
	return buf;
}

static void client_leave(struct client *c)
{
	struct server *server = c->server;

	if (c->account_entered)
		access_account_leave(server->access, &c->account);
	if (c->host_entered)
		access_host_leave(server->access, &c->peer.any);
	c->account_entered = false;
	c->host_entered = false;
}

void client_leave_queues(struct client *c)
{
	for (int i = 0; i < HEAVY_CLASSES; i++)
		fair_leave(&c->server->clients.fair[i], &c->turns[i]);
}

static void client_freed(uv_handle_t *handle)
{
	free(CONTAINER_OF((uv_poll_t *)handle, struct client, poll));
}

void client_close(struct client *c)
{
	struct server *server = c->server;

	if (c->state == CLIENT_CLOSED)
		return;
	trace_conn(&server->trace, TRACE_END_CLIENT, c->fd, (int)c->index);
	c->state = CLIENT_CLOSED;
	if (server->clients.scratch_owner == c) {
		server->clients.scratch_owner = NULL;
		buffer_reset(&server->clients.scratch);
	}
	list_del(&c->greeting);
	list_del(&c->waiting);
	client_leave_queues(c);
	if (c->request != NULL)
		c->request->client = NULL;
	c->request = NULL;
	server->clients.ops->gone(c);
	client_leave(c);
	clients_remove(server, c);
	inbox_done(&c->in);
	buffer_done(&c->out);
	profile_slots_done(&c->profiles, &server->profiles);
	free(c->container);
	free(c->whoami);
	uv_close((uv_handle_t *)&c->poll, client_freed);
	close(c->fd);
}

void client_introduced(struct client *c)
{
	list_del(&c->greeting);
}

bool client_is_trusted(const struct client *c)
{
	return c->account.known && (c->account.uid == 0 || c->account.uid == geteuid());
}

void client_learn(uint32_t *average_ns, uint64_t ns)
{
	ns = ns < UINT32_MAX ? ns : UINT32_MAX;
	*average_ns = (uint32_t)((3 * (uint64_t)*average_ns + ns) / 4);
}

/*
 * Output
 */

struct buffer *client_out(struct client *c)
{
	struct server *server = c->server;

	if (buffer_pending(&c->out) > 0)
		return &c->out;
	if (server->clients.scratch_owner != c) {
		if (server->clients.scratch_owner != NULL)
			client_flush(server->clients.scratch_owner);
		server->clients.scratch_owner = c;
	}
	return &server->clients.scratch;
}

void client_error(struct client *c, int code)
{
	struct buffer *out;

	if (c->state == CLIENT_CLOSED)
		return;
	out = client_out(c);
	pdu_encode_error(out, 0, code);
	server_sent(c->server, c->fd, PDU_ERROR, code);
}

/* Sends what the socket takes. Returns the bytes sent or -errno. */
static long send_some(struct client *c, struct buffer *b)
{
	long total = 0;

	while (buffer_pending(b) > 0) {
		ssize_t n = send(c->fd, buffer_head(b), buffer_pending(b), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? total : -errno;
		buffer_consume(b, (size_t)n);
		total += n;
	}
	return total;
}

/* The part that the client does not take now moves to its own buffer. */
static void scratch_to_client(struct client *c)
{
	struct server *server = c->server;

	server->clients.scratch_owner = NULL;
	if (buffer_pending(&server->clients.scratch) == 0) {
		buffer_trim(&server->clients.scratch, CLIENTS_SCRATCH_KEEP);
		return;
	}
	c->out = server->clients.scratch;
	server->clients.scratch = BUFFER_INIT;
	client_wait(c, &server->clients.stalled);
}

void client_flush(struct client *c)
{
	struct server *server = c->server;
	bool mine = server->clients.scratch_owner == c;
	struct buffer *b = mine ? &server->clients.scratch : &c->out;
	long n;

	if (c->state == CLIENT_CLOSED) {
		if (mine) {
			server->clients.scratch_owner = NULL;
			buffer_reset(b);
		}
		return;
	}
	if (!mine && buffer_pending(b) == 0)
		return;
	n = send_some(c, b);
	if (n < 0 || b->err != 0) {
		client_close(c);
		return;
	}
	if (mine) {
		scratch_to_client(c);
		return;
	}
	if (buffer_pending(b) == 0) {
		buffer_done(b);
		list_del(&c->waiting);
	} else if (n > 0) {
		client_wait(c, &server->clients.stalled);
	}
}
