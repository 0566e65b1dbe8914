/* server - see server.h. */
#include "daemons/pmcd/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/agent_channel.h"
#include "daemons/pmcd/background.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/report.h"
#include "daemons/pmcd/request.h"
#include "libbase/clock.h"
#include "libbase/service.h"

enum {
	SERVER_END_MS = 150, /* agents get so long to go by themselves */
};

/*
 * Turns
 */

static void run_queue(uv_idle_t *handle)
{
	struct server *server = handle->data;
	struct fair_member *m;

	while (server->spent_ns < SERVER_TURN_NS && (m = fair_next(&server->fair[HEAVY_NO])) != NULL)
		client_work(CONTAINER_OF(m, struct client, turns[HEAVY_NO]));
	m = fair_next(&server->fair[HEAVY_YES]);
	if (m != NULL)
		client_work(CONTAINER_OF(m, struct client, turns[HEAVY_YES]));
	if (!server_has_work(server))
		uv_idle_stop(handle);
}

void server_run_later(struct server *server, struct client *c)
{
	if (client_queue(c))
		uv_idle_start(&server->idle, run_queue);
}

static bool agents_are_starting(const struct server *server)
{
	for (unsigned int i = 0; i < server->nagent; i++) {
		if (server->agents[i]->state == AGENT_STARTING)
			return true;
	}
	return false;
}

/* Clients are served from the moment when all agents are there, or have had their time. */
static void maybe_serve(struct server *server)
{
	bool late = server_run_ms(server) >= server->serve_at_ms;

	if (server->serve_at_ms == 0)
		return;
	if (!server->serving_local && (late || !agents_are_starting(server))) {
		server->serving_local = true;
		report_start(server);
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
static void settle(struct server *server)
{
	heavy_release(server);
	channel_flush_all(server);
	if (server->reconfigure && !server->reconfiguring) {
		server->reconfigure = false;
		server->counts.sighups++;
		configure_again(server);
		channel_flush_all(server);
	}
	maybe_serve(server);
	if (server->stopping)
		uv_stop(&server->loop);
}

static void before_waiting(uv_prepare_t *handle)
{
	settle(handle->data);
}

static void end_of_turn(uv_check_t *handle)
{
	struct server *server = handle->data;

	server->turn++;
	server->spent_ns = 0;
	settle(server);
}

static void tick(uv_timer_t *handle)
{
	struct server *server = handle->data;
	uint64_t now_ms = server_run_ms(server);
	bool more = server->serve_at_ms != 0;

	server->tick_wanted = false;
	more |= client_tick_all(server, now_ms);
	for (unsigned int i = 0; i < server->nagent; i++)
		more |= agent_tick(server->agents[i], now_ms);
	more |= leavers_tick(server, now_ms);
	more |= configure_restart_tick(server, now_ms);
	more |= listeners_tick(&server->listeners, now_ms);
	if (!more && !server->tick_wanted)
		uv_timer_stop(handle);
}

void server_want_tick(struct server *server)
{
	server->tick_wanted = true;
	if (!uv_is_active((uv_handle_t *)&server->tick))
		uv_timer_start(&server->tick, tick, SERVER_TICK_MS, SERVER_TICK_MS);
}

uint64_t server_timeout_ms(const struct server *server)
{
	return (uint64_t)server->timeout_s * 1000;
}

/* Signals: through a descriptor, which also has the sender */

static void handle_signal(struct server *server, const struct signalfd_siginfo *info)
{
	switch (info->ssi_signo) {
	case SIGCHLD:
		leavers_reap(server);
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

static void signals_ready(uv_poll_t *handle, int status, int events)
{
	struct server *server = handle->data;
	struct signalfd_siginfo info;

	while (read(server->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		handle_signal(server, &info);
}

int server_watch_signals(struct server *server)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	server->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server->signal_fd < 0)
		return -errno;
	uv_poll_init(&server->loop, &server->signals, server->signal_fd);
	server->signals.data = server;
	uv_poll_start(&server->signals, UV_READABLE, signals_ready);
	return 0;
}

/*
 * Life
 */

int server_init(struct server *server, const struct options *options)
{
	int r;

	memset(server, 0, sizeof(*server));
	server->options = options;
	server->start_time = clock_now();
	server->start_ms = clock_boot_ms();
	server->timeout_s = options->timeout_s;
	server->silence_ms = (uint64_t)options->silence_s * 1000;
	server->signal_fd = -1;
	list_init(&server->dirty);
	list_init(&server->parked);
	list_init(&server->greeting);
	list_init(&server->partial);
	list_init(&server->stalled);
	list_init(&server->spare_requests);
	leavers_init(&server->leavers);
	config_init(&server->config);
	server->shared.size = SERVER_SHARED;
	server->shared.data = malloc(SERVER_SHARED);
	if (server->shared.data == NULL || trace_init(&server->trace, options->trace) < 0)
		return -ENOMEM;
	r = uv_loop_init(&server->loop);
	if (r < 0)
		return r;
	uv_loop_configure(&server->loop, UV_METRICS_IDLE_TIME); /* agent.c measures agents by it */
	uv_idle_init(&server->loop, &server->idle);
	uv_prepare_init(&server->loop, &server->prepare);
	uv_check_init(&server->loop, &server->check);
	uv_timer_init(&server->loop, &server->tick);
	uv_timer_init(&server->loop, &server->alive);
	server->idle.data = server;
	server->prepare.data = server;
	server->check.data = server;
	server->tick.data = server;
	uv_prepare_start(&server->prepare, before_waiting);
	uv_check_start(&server->check, end_of_turn);
	server->serve_at_ms = server_run_ms(server) + (uint64_t)options->creds_timeout_s * 1000;
	server_want_tick(server);
	return 0;
}

static void tell_alive(uv_timer_t *handle)
{
	service_alive();
}

void server_run(struct server *server)
{
	uint64_t patience_ms = service_watchdog_ms();

	if (patience_ms > 0)
		uv_timer_start(&server->alive, tell_alive, 0, patience_ms / SERVER_ALIVE_SIGNS + 1);
	maybe_serve(server);
	uv_run(&server->loop, UV_RUN_DEFAULT);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* The agent "root" starts others, so it goes last (docs/spec/pmcd.md 7.3). */
static void stop_agents(struct server *server)
{
	struct agent *root = server_agent(server, 1);

	for (unsigned int i = 0; i < server->nagent; i++) {
		if (server->agents[i] != root)
			agent_fail(server->agents[i], AGENT_END_EXITED, PM_ERR_NOAGENT,
				   "terminated");
	}
	if (root != NULL)
		agent_fail(root, AGENT_END_EXITED, PM_ERR_NOAGENT, "terminated");
	leavers_finish(server, SERVER_END_MS);
}

void server_done(struct server *server)
{
	server->stopping = true;
	background_abandon(server->reading_job);
	stop_agents(server);
	for (unsigned int i = 0; i < server->nslot; i++) {
		if (server->clients[i] != NULL)
			client_close(server->clients[i]);
	}
	listeners_close(&server->listeners);
	for (unsigned int i = 0; i < server->nagent; i++)
		agent_free(server->agents[i]);
	agent_dso_done(server);
	uv_walk(&server->loop, close_handle, NULL);
	uv_run(&server->loop, UV_RUN_DEFAULT);
	uv_loop_close(&server->loop);
	if (server->signal_fd >= 0)
		close(server->signal_fd);
	request_pool_done(server);
	profile_pool_done(&server->profiles);
	names_put(server->names);
	labels_done(&server->labels);
	for (int i = 0; i < HEAVY_CLASSES; i++)
		fair_done(&server->fair[i]);
	access_free(server->access);
	config_done(&server->config);
	leavers_done(&server->leavers);
	free(server->listeners.all);
	free(server->agents);
	free(server->clients);
	free(server->shared.data);
	trace_done(&server->trace);
	buffer_done(&server->scratch);
}
