/* client_table - see client_table.h. */
#include "daemons/pmcd/client_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"

enum {
	TABLE_MIN = 64,
};

static int table_grow(struct server *server)
{
	unsigned int n = server->nslot < TABLE_MIN ? TABLE_MIN : server->nslot * 2;
	struct client **more = realloc(server->clients, n * sizeof(struct client *));

	if (more == NULL)
		return -ENOMEM;
	memset(more + server->nslot, 0, (n - server->nslot) * sizeof(struct client *));
	server->clients = more;
	server->nslot = n;
	return 0;
}

int client_table_add(struct server *server, struct client *c)
{
	unsigned int i = server->free_hint;

	while (i < server->nslot && server->clients[i] != NULL)
		i++;
	if (i == server->nslot && table_grow(server) < 0)
		return -ENOMEM;
	server->clients[i] = c;
	server->nclient++;
	server->free_hint = i + 1;
	c->index = i;
	c->seq = server->next_seq++;
	return 0;
}

void client_table_remove(struct server *server, struct client *c)
{
	server->clients[c->index] = NULL;
	server->nclient--;
	if (c->index < server->free_hint)
		server->free_hint = c->index;
}

void client_table_change_all(struct server *server, unsigned int mask)
{
	for (unsigned int i = 0; i < server->nslot; i++) {
		if (server->clients[i] != NULL)
			server->clients[i]->changes |= mask;
	}
}
