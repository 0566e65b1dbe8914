/* server - see server.h. */
#include "daemons/pmcd/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/agent_channel.h"
#include "daemons/pmcd/background.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/request.h"
#include "libbase/clock.h"

enum {
	SERVER_END_MS = 150, /* agents get so long to go by themselves */
};

/*
 * Turns
 */

static bool server_work(void *arg)
{
	struct server *server = arg;
	struct fair_member *m;

	while (server->loop.spent_ns < LOOP_TURN_NS &&
	       (m = fair_next(&server->clients.fair[HEAVY_NO])) != NULL)
		client_work(CONTAINER_OF(m, struct client, turns[HEAVY_NO]));
	m = fair_next(&server->clients.fair[HEAVY_YES]);
	if (m != NULL)
		client_work(CONTAINER_OF(m, struct client, turns[HEAVY_YES]));
	return server_has_work(server);
}

static bool agents_are_starting(const struct server *server)
{
	for (unsigned int i = 0; i < server->agents.count; i++) {
		if (server->agents.all[i]->state == AGENT_STARTING)
			return true;
	}
	return false;
}

static void server_log_start(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	agents_dump(server, &out);
	access_dump(server->access, &out);
	buffer_printf(&out, "\npmcd: PID = %d, PDU version = %d\n", (int)getpid(), PDU_VERSION);
	listeners_dump(&server->listeners, &out);
	log_buffer(&out);
}

/* Clients are served from the moment when all agents are there, or have had their time. */
static void maybe_serve(struct server *server)
{
	bool late = loop_run_ms(&server->loop) >= server->serve_at_ms;

	if (server->serve_at_ms == 0)
		return;
	if (!server->serving_local && (late || !agents_are_starting(server))) {
		server->serving_local = true;
		server_log_start(server);
		listeners_serve(&server->listeners, LISTENERS_LOCAL);
	}
	/* The network waits for the access lists too, but not for ever: then it is refused. */
	if (!server->serving_local || (!late && access_is_provisional(server->access)))
		return;
	server->serve_at_ms = 0;
	if (access_is_provisional(server->access))
		log_info("Hosts of access statements are still being looked up: until that is done "
			 "clients of the network are refused");
	listeners_serve(&server->listeners, LISTENERS_ALL);
}

/* Deferred work: after the events of the descriptors, and before waiting for more. */
static void server_settle(void *arg)
{
	struct server *server = arg;

	client_release_some(server);
	channel_flush_all(server);
	if (server->reconfigure && !server->reconfiguring) {
		server->reconfigure = false;
		server->counts.sighups++;
		configure_again(server);
		channel_flush_all(server);
	}
	maybe_serve(server);
	if (server->stopping)
		loop_stop(&server->loop);
}

static bool server_tick(void *arg, uint64_t now_ms)
{
	struct server *server = arg;
	bool more = server->serve_at_ms != 0;

	more |= client_tick_all(server, now_ms);
	for (unsigned int i = 0; i < server->agents.count; i++)
		more |= agent_tick(server->agents.all[i], now_ms);
	more |= endings_tick(server, now_ms);
	more |= configure_restart_tick(server, now_ms);
	more |= listeners_tick(&server->listeners, now_ms);
	return more;
}

static void server_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct server *server = arg;

	switch (info->ssi_signo) {
	case SIGCHLD:
		endings_reap(server);
		break;
	case SIGHUP:
		server->reconfigure = true;
		break;
	default:
		log_info("pmcd caught %s from pid=%u uid=%u",
			 info->ssi_signo == SIGINT ? "SIGINT" : "SIGTERM", info->ssi_pid,
			 info->ssi_uid);
		server->stopping = true;
	}
}

/*
 * Life
 */

static const struct loop_ops server_loop_ops = {
    .work = server_work,
    .settle = server_settle,
    .tick = server_tick,
    .signal = server_signal,
};

static void server_client_gone(struct client *c)
{
	struct server *server = c->server;

	for (unsigned int i = 0; i < server->agents.count; i++) {
		if ((c->used_agents >> (server->agents.all[i]->index & 63) & 1) != 0)
			agent_forget_client(server->agents.all[i], c->index);
	}
	listeners_resume(&server->listeners);
}

static const struct clients_ops server_clients_ops = {
    .gone = server_client_gone,
    .request_over = client_request_over,
};

static bool server_accept(void *arg, int fd, const struct sockaddr *peer)
{
	return client_accept(arg, fd, peer);
}

static bool server_make_room(void *arg)
{
	return client_make_room(arg);
}

static void server_starved(void *arg)
{
	const struct server *server = arg;

	log_often("No more connections: no descriptors left (%u clients); the next wait",
		  server->clients.count);
}

int server_listen(struct server *server)
{
	static const struct listeners_ops ops = {server_accept, server_make_room, server_starved};

	int r = listeners_open(&server->listeners, &server->loop, server->options, &ops, server);

	counts_fd(&server->counts, listeners_highest_fd(&server->listeners));
	return r;
}

int server_init(struct server *server, const struct options *options)
{
	int r;

	memset(server, 0, sizeof(*server));
	server->options = options;
	server->start_time = clock_now();
	server->start_ms = clock_boot_ms();
	server->timeout_s = options->timeout_s;
	server->silence_ms = (uint64_t)options->silence_s * 1000;
	list_init(&server->agents.dirty);
	list_init(&server->agents.parked);
	clients_init(&server->clients, &server_clients_ops);
	list_init(&server->requests.spare);
	endings_init(&server->agents.endings);
	config_init(&server->config);
	if (trace_init(&server->trace, options->trace) < 0)
		return -ENOMEM;
	r = loop_init(&server->loop, &server_loop_ops, server);
	if (r < 0)
		return r;
	server->serve_at_ms =
	    loop_run_ms(&server->loop) + (uint64_t)options->creds_timeout_s * 1000;
	loop_want_tick(&server->loop);
	return 0;
}

void server_run(struct server *server)
{
	maybe_serve(server);
	loop_run(&server->loop);
}

/* The agent "root" starts others, so it goes last (docs/spec/pmcd.md 7.3). */
static void stop_agents(struct server *server)
{
	struct agent *root = server_agent(server, 1);

	for (unsigned int i = 0; i < server->agents.count; i++) {
		if (server->agents.all[i] != root)
			agent_fail(server->agents.all[i], AGENT_END_EXITED, PM_ERR_NOAGENT,
				   "terminated");
	}
	if (root != NULL)
		agent_fail(root, AGENT_END_EXITED, PM_ERR_NOAGENT, "terminated");
	endings_finish(server, SERVER_END_MS);
}

void server_done(struct server *server)
{
	server->stopping = true;
	background_abandon(server->reading_job);
	stop_agents(server);
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		if (server->clients.all[i] != NULL)
			client_close(server->clients.all[i]);
	}
	listeners_close(&server->listeners);
	for (unsigned int i = 0; i < server->agents.count; i++)
		agent_free(server->agents.all[i]);
	agent_dso_done(server);
	loop_done(&server->loop);
	request_pool_done(server);
	profile_pool_done(&server->profiles);
	names_put(server->names);
	labels_done(&server->labels);
	access_free(server->access);
	config_done(&server->config);
	endings_done(&server->agents.endings);
	free(server->listeners.all);
	free(server->agents.all);
	clients_done(&server->clients);
	trace_done(&server->trace);
}
