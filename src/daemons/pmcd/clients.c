/* clients - see clients.h. */
#include "daemons/pmcd/clients.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"

enum {
	TABLE_MIN = 64,
};

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
	memset(more + server->clients.nslot, 0, (n - server->clients.nslot) * sizeof(struct client *));
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

static bool is_older(const struct client *a, const struct client *b)
{
	return b == NULL || a->greeted_ms < b->greeted_ms;
}

/* Of a user with more connections, or unused for longer. */
static bool is_dearer(const struct client *a, const struct client *b)
{
	unsigned int n = connections_of_user(a), most = b == NULL ? 0 : connections_of_user(b);

	return n > most || (n == most && a->served_ms < b->served_ms);
}

/* The connections of one process together, the one that is unused for longest first. */
static int compare_processes(const void *a, const void *b)
{
	const struct client *x = *(struct client *const *)a, *y = *(struct client *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->served_ms < y->served_ms ? -1 : x->served_ms > y->served_ms;
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
