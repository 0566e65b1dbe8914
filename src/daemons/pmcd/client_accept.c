/*
 * client_accept - from a connection to a client: the user that it is charged to, a place in the
 * tables, room when descriptors are short, the greeting.
 */
#include "daemons/pmcd/client.h"

#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemons/pmcd/handshake.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/server.h"
#include "libbase/hash.h"

/* Whom its time is charged to: a local user, or an address. */
static uint64_t user_of(const struct client *c)
{
	const uint64_t network = (uint64_t)1 << 63;

	switch (c->peer.any.sa_family) {
	case AF_INET:
		return network | c->peer.in.sin_addr.s_addr;
	case AF_INET6:
		return network | hash_bytes(&c->peer.in6.sin6_addr, sizeof(c->peer.in6.sin6_addr));
	default:
		return c->account.known ? c->account.uid : UINT32_MAX;
	}
}

static int join_queues(struct client *c)
{
	uint64_t user = user_of(c);
	int r = 0;

	for (int i = 0; i < HEAVY_CLASSES && r == 0; i++)
		r = fair_join(&c->server->clients.fair[i], &c->turns[i], user);
	return r;
}

static void know_peer(struct client *c, const struct sockaddr *peer)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (peer->sa_family == AF_INET)
		memcpy(&c->peer.in, peer, sizeof(c->peer.in));
	else if (peer->sa_family == AF_INET6)
		memcpy(&c->peer.in6, peer, sizeof(c->peer.in6));
	else
		c->peer.any.sa_family = AF_UNIX;
	if (c->peer.any.sa_family == AF_UNIX &&
	    getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0) {
		c->account.known = true;
		c->account.uid = who.uid;
		c->account.gid = who.gid;
		c->pid = who.pid;
	}
}

static struct client *client_new(struct server *server, int fd, const struct sockaddr *peer)
{
	struct client *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->server = server;
	c->fd = fd;
	c->start = time(NULL);
	c->agent_ns = HEAVY_NS + 1;
	list_init(&c->greeting);
	list_init(&c->waiting);
	know_peer(c, peer);
	if (join_queues(c) < 0 || clients_add(server, c) < 0) {
		client_leave_queues(c);
		free(c);
		return NULL;
	}
	uv_poll_init(&server->loop.uv, &c->poll, fd);
	counts_fd(&server->counts, fd);
	return c;
}

static void make_way(struct client *c)
{
	char peer[INET6_ADDRSTRLEN];

	log_often("No descriptors left: client[%u] (%s), which %s, is closed for a new connection",
		  c->index, client_peer_name(c, peer, sizeof(peer)),
		  list_empty(&c->greeting)
		      ? "has the most others of its user, address or process beside it"
		      : "has been silent");
	client_close(c);
}

bool client_make_room(struct server *server)
{
	bool soon;
	struct client *c = clients_spare(server, NULL, &soon);

	if (c == NULL)
		return false;
	make_way(c);
	return true;
}

/* Its user has a share of the descriptors, which are short. */
static void accept_refuse(struct client *c)
{
	char peer[INET6_ADDRSTRLEN];

	log_often("Connection refused: no descriptors left, and %s has its share of %u connections",
		  client_peer_name(c, peer, sizeof(peer)), c->turns[HEAVY_NO].user->members - 1);
	handshake_greet(c->server, c->fd, PM_ERR_CONNLIMIT);
	client_close(c);
}

/* A newcomer has one of the last descriptors. False if no more can be accepted for now. */
static bool claim_share(struct client *c)
{
	bool soon;
	struct client *spare = clients_spare(c->server, c, &soon);

	if (spare != NULL)
		make_way(spare);
	else if (!soon)
		accept_refuse(c);
	return spare != NULL || !soon;
}

static void greet(struct client *c)
{
	struct server *server = c->server;

	if (handshake_greet(server, c->fd, 0) < 0) {
		client_close(c); /* it would wait for the challenge */
		return;
	}
	c->greeted_ms = c->served_ms = loop_run_ms(&server->loop);
	list_add_tail(&server->clients.greeting, &c->greeting);
	loop_want_tick(&server->loop);
	client_rewatch(c);
}

bool client_accept(struct server *server, int fd, const struct sockaddr *peer)
{
	unsigned int denied = 0;
	bool more = true;
	struct client *c;
	int r = access_host_enter(server->access, peer, &denied);

	if (r < 0) {
		log_violation(peer);
		handshake_greet(server, fd, r);
		close(fd);
		return true;
	}
	c = client_new(server, fd, peer);
	if (c == NULL) {
		access_host_leave(server->access, peer);
		close(fd);
		return true;
	}
	c->host_entered = true;
	c->denied = denied;
	trace_conn(&server->trace, TRACE_NEW_CLIENT, fd, (int)c->index);
	if (listeners_are_short(&server->listeners, fd))
		more = claim_share(c);
	if (c->state != CLIENT_CLOSED)
		greet(c);
	return more;
}
