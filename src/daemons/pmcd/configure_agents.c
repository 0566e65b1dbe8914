/* configure_agents - the table of agents, made to fit a configuration, and automatic restarts. */
#include "daemons/pmcd/configure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"

enum {
	RESTART_PAUSE_MS = 60000, /* between automatic restarts of one agent */
};

static const struct agent_ops *ops_for(const struct config_agent *config)
{
	switch (config->kind) {
	case CONFIG_DSO:
		return strcmp(config->entry, "pmcd_init") == 0 ? &agent_builtin_ops
							       : &agent_dso_ops;
	case CONFIG_SOCKET:
		return &agent_socket_ops;
	default:
		return &agent_pipe_ops;
	}
}

/* The agent that is connected already and would be started the same way. */
static struct agent *find_equal(struct server *server, const struct config_agent *config)
{
	for (unsigned int i = 0; i < server->agents.count; i++) {
		struct agent *a = server->agents.all[i];

		if (a->state != AGENT_DOWN && config_agent_equal(a->config, config))
			return a;
	}
	return NULL;
}

/* Agents have other numbers now: every client may be known to every agent. */
static void forget_numbers(struct server *server)
{
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			server->clients.all[i]->used_agents = UINT64_MAX;
	}
}

static void configure_table_add(struct server *server, struct agent *a)
{
	a->index = server->agents.count++;
	server->agents.by_domain[a->config->domain] = a;
}

/*
 * Those of an old table that the server has no more are ended. That answers requests and may close
 * clients, so the server must have its new table by then.
 */
static void drop_others(const struct server *server, struct agent **old, unsigned int nold)
{
	for (unsigned int i = 0; i < nold; i++) {
		if (server_agent(server, old[i]->config->domain) == old[i])
			continue;
		agent_fail(old[i], AGENT_END_EXITED, PM_ERR_NOAGENT, "unconfigured");
		client_release_all(old[i]);
		agent_free(old[i]);
	}
}

/* The agents of a configuration, those that are there already among them. NULL: no memory, and
 * nothing has happened. */
static struct agent **new_table(struct server *server, const struct config *c)
{
	struct agent **table = calloc(c->nagent + 1, sizeof(*table));
	unsigned int n = 0;

	for (struct config_agent *one = c->agents; table != NULL && one != NULL; one = one->next) {
		struct agent *a = find_equal(server, one);

		if (a == NULL)
			a = agent_new(server, one, ops_for(one));
		table[n++] = a;
		if (a != NULL)
			continue;
		while (n-- > 0) {
			if (table[n] != NULL && table[n]->state == AGENT_DOWN)
				agent_free(table[n]);
		}
		free(table);
		table = NULL;
	}
	return table;
}

int configure_use(struct server *server, struct config *c)
{
	struct agent **table = new_table(server, c);
	struct agent **old_table = server->agents.all;
	unsigned int nold = server->agents.count;
	struct config old = server->config;

	if (table == NULL)
		return -ENOMEM;
	memset(server->agents.by_domain, 0, sizeof(server->agents.by_domain));
	server->agents.all = table;
	server->agents.count = 0;
	while (table[server->agents.count] != NULL)
		configure_table_add(server, table[server->agents.count]);
	forget_numbers(server);
	drop_others(server, old_table, nold);
	free(old_table);
	for (struct config_agent *one = c->agents; one != NULL; one = one->next) {
		if (server_agent(server, one->domain) != NULL)
			server_agent(server, one->domain)->config = one;
	}
	server->config = *c;
	config_done(&old);
	return 0;
}

unsigned int configure_start(struct server *server)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < server->agents.count; i++) {
		if (server->agents.all[i]->state == AGENT_DOWN) {
			agent_start(server->agents.all[i]);
			n++;
		}
	}
	return n;
}

static bool may_restart(const struct agent *a, unsigned long long now_ms)
{
	return a->restart_ms == 0 || now_ms - a->restart_ms >= RESTART_PAUSE_MS;
}

bool configure_restart_tick(struct server *server, unsigned long long now_ms)
{
	bool waiting = false;

	if (!server->options->restart_agents || server->stopping)
		return false;
	for (unsigned int i = 0; i < server->agents.count; i++) {
		struct agent *a = server->agents.all[i];

		if (a->state != AGENT_DOWN || !a->wants_restart)
			continue;
		if (!may_restart(a, now_ms)) {
			waiting = true;
			continue;
		}
		log_info("Auto-restarting agents.");
		a->restart_ms = now_ms;
		clients_change_all(server, PMCD_RESTART_AGENT);
		agent_start(a);
		waiting = true;
	}
	return waiting;
}
