/* client_out - see client_out.h. */
#include "daemons/pmcd/client_out.h"

#include <errno.h>
#include <sys/socket.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"
#include "libwire/pdu.h"

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
