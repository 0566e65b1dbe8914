/* client - see client.h: the table of all, one connection, and its output. */
#include "daemons/pmcd/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemons/pmcd/log.h"
#include "daemons/pmcd/server.h"
#include "libwire/pdu.h"

enum {
	TABLE_MIN = 64,
};

/*
 * All clients
 */

void clients_init(struct clients *all, const struct clients_ops *ops)
{
	all->ops = ops;
	list_init(&all->greeting);
	list_init(&all->partial);
	list_init(&all->stalled);
}

void clients_done(struct clients *all)
{
	for (int i = 0; i < HEAVY_CLASSES; i++)
		fair_done(&all->fair[i]);
	free(all->all);
	buffer_done(&all->scratch);
}

static int table_grow(struct server *server)
{
	unsigned int n = server->clients.nslot < TABLE_MIN ? TABLE_MIN : server->clients.nslot * 2;
	struct client **more = realloc(server->clients.all, n * sizeof(struct client *));

	if (more == NULL)
		return -ENOMEM;
	memset(more + server->clients.nslot, 0,
	       (n - server->clients.nslot) * sizeof(struct client *));
	server->clients.all = more;
	server->clients.nslot = n;
	return 0;
}

int clients_add(struct server *server, struct client *c)
{
	unsigned int i = server->clients.free_hint;

	while (i < server->clients.nslot && server->clients.all[i] != NULL)
		i++;
	if (i == server->clients.nslot && table_grow(server) < 0)
		return -ENOMEM;
	server->clients.all[i] = c;
	server->clients.count++;
	server->clients.free_hint = i + 1;
	c->index = i;
	c->seq = server->clients.next_seq++;
	return 0;
}

void clients_remove(struct server *server, struct client *c)
{
	server->clients.all[c->index] = NULL;
	server->clients.count--;
	if (c->index < server->clients.free_hint)
		server->clients.free_hint = c->index;
}

static unsigned int connections_of_user(const struct client *c)
{
	return c->turns[HEAVY_NO].user->members;
}

static bool is_same_user(const struct client *a, const struct client *b)
{
	return a->turns[HEAVY_NO].user == b->turns[HEAVY_NO].user;
}

static bool has_had_time(const struct client *c, uint64_t now_ms)
{
	return now_ms - c->greeted_ms >= CLIENT_SILENT_MS;
}

/* Of two times in the same millisecond the one of the connection that was made first. */
static bool is_before(const struct client *a, uint64_t a_ms, const struct client *b, uint64_t b_ms)
{
	return a_ms < b_ms || (a_ms == b_ms && a->seq < b->seq);
}

static bool is_older(const struct client *a, const struct client *b)
{
	return b == NULL || is_before(a, a->greeted_ms, b, b->greeted_ms);
}

static bool is_staler(const struct client *a, const struct client *b)
{
	return is_before(a, a->served_ms, b, b->served_ms);
}

/* Of a user with more connections, or unused for longer. */
static bool is_dearer(const struct client *a, const struct client *b)
{
	unsigned int n = connections_of_user(a), most = b == NULL ? 0 : connections_of_user(b);

	return n > most || (n == most && is_staler(a, b));
}

/* The connections of one process together, the one that is unused for longest first. */
static int compare_processes(const void *a, const void *b)
{
	const struct client *x = *(struct client *const *)a, *y = *(struct client *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return is_staler(x, y) ? -1 : is_staler(y, x);
}

/* The first of the longest run of one process, if it is longer than share. */
static struct client *dearest_process(struct client **list, size_t n, size_t share)
{
	struct client *dear = NULL;
	size_t most = share;

	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && list[i + run]->pid == list[i]->pid; run++)
			;
		if (run > most) {
			most = run;
			dear = list[i];
		}
	}
	return dear;
}

/* A user's share is shared by its processes, as far as they are known. */
static struct client *spare_of_process(const struct server *server, const struct client *newcomer)
{
	struct client **list, *dear;
	size_t n = 0, share = 1;

	if (newcomer->pid == 0)
		return NULL;
	list = malloc(server->clients.count * sizeof(struct client *));
	if (list == NULL)
		return NULL;
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		struct client *c = server->clients.all[i];

		if (c == NULL || c == newcomer || !is_same_user(c, newcomer))
			continue;
		list[n++] = c;
		share += c->pid == newcomer->pid;
	}
	qsort(list, n, sizeof(struct client *), compare_processes);
	dear = dearest_process(list, n, share);
	free(list);
	return dear;
}

struct client *clients_spare(struct server *server, const struct client *newcomer, bool *ret_soon)
{
	unsigned int share = newcomer == NULL ? 0 : connections_of_user(newcomer);
	uint64_t now_ms = loop_run_ms(&server->loop);
	struct client *silent = NULL, *dear = NULL;

	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		struct client *c = server->clients.all[i];

		if (c == NULL || c == newcomer || connections_of_user(c) < share)
			continue;
		if (!list_empty(&c->greeting) && is_older(c, silent))
			silent = c;
		if (newcomer != NULL && connections_of_user(c) > share && is_dearer(c, dear))
			dear = c;
	}
	if (newcomer != NULL && dear == NULL)
		dear = spare_of_process(server, newcomer);
	*ret_soon = silent != NULL;
	return silent != NULL && has_had_time(silent, now_ms) ? silent : dear;
}

void clients_change_all(struct server *server, unsigned int mask)
{
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			server->clients.all[i]->changes |= mask;
	}
}

/*
 * One connection
 */

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

void clients_log(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	buffer_printf(&out, "     fd  client connection from                    "
			    "ipc ver  operations denied\n"
			    "     ==  ========================================  "
			    "=======  =================\n");
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		const struct client *c = server->clients.all[i];
		char name[64];

		if (c == NULL)
			continue;
		buffer_printf(&out, "    %3d  %-40s  %7d  %s%s\n", c->fd,
			      client_peer_name(c, name, sizeof(name)), PDU_VERSION,
			      (c->denied & CONFIG_OP_FETCH) != 0 ? "fetch " : "",
			      (c->denied & CONFIG_OP_STORE) != 0 ? "store " : "");
	}
	log_buffer(&out);
}
