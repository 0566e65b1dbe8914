/*
 * agent_process - agents that are processes of their own: how they are started, reached by pipes or
 * a socket, and stopped (docs/spec/pmcd.md 8). agent_channel.c has the protocol.
 */
#include "daemons/pmcd/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemons/pmcd/agent_channel.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/cleanup.h"

enum {
	PROCESS_PIPE_SIZE = 256 << 10, /* fewer wakes for a large answer */
	PROCESS_COMMAND_MS = 2000,     /* a started socket agent may take so long to listen */
};

/* The process is gone: what it wrote is in the pipe, and then there is nothing more to come. */
static void pipe_exited(struct agent *a)
{
	for (int i = 0; i < 16 && a->impl != NULL; i++)
		channel_read(a->impl);
	if (a->state != AGENT_DOWN)
		agent_fail(a, AGENT_END_EXITED, PM_ERR_IPC, "terminated");
}

static int make_pipe(int ours, int ret_fds[2])
{
	if (pipe2(ret_fds, O_CLOEXEC) < 0)
		return -errno;
	fcntl(ret_fds[ours], F_SETFL, O_NONBLOCK);
	fcntl(ret_fds[ours], F_SETPIPE_SZ, PROCESS_PIPE_SIZE);
	return 0;
}

static int pipe_start(struct agent *a)
{
	int to[2] = {-1, -1};
	int from[2] = {-1, -1};
	int r = make_pipe(1, to);

	if (r == 0)
		r = make_pipe(0, from);
	if (r == 0)
		r = child_start(a->config->argv, to[0], from[1],
				rights_of(&a->server->rights, a->config->label), &a->pid);
	if (r < 0)
		log_error("Cannot start agent \"%s\" (%s): %s", a->config->label,
			  a->config->argv[0], strerror(-r));
	if (to[0] >= 0)
		close(to[0]);
	if (from[1] >= 0)
		close(from[1]);
	if (r == 0) {
		a->impl = channel_new(a, from[0], to[1]);
		return a->impl != NULL ? 0 : -ENOMEM;
	}
	if (from[0] >= 0)
		close(from[0]);
	if (to[1] >= 0)
		close(to[1]);
	return r;
}

static socklen_t socket_address(const struct config_agent *config,
				struct sockaddr_storage *ret_addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_addr;
	struct sockaddr_un *un = (struct sockaddr_un *)ret_addr;

	memset(ret_addr, 0, sizeof(*ret_addr));
	ret_addr->ss_family = (sa_family_t)config->family;
	switch (config->family) {
	case AF_INET:
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		in->sin_port = htons(config->port);
		return sizeof(*in);
	case AF_INET6:
		in6->sin6_addr = in6addr_loopback;
		in6->sin6_port = htons(config->port);
		return sizeof(*in6);
	default:
		if (strlen(config->path) >= sizeof(un->sun_path))
			return 0;
		strcpy(un->sun_path, config->path);
		return sizeof(*un);
	}
}

/* One attempt; others follow, so a refusal is not an error here. */
static int socket_connect(struct agent *a)
{
	struct sockaddr_storage addr;
	socklen_t len = socket_address(a->config, &addr);
	AUTO_FD int fd = -1;
	AUTO_FD int twin = -1;
	int one = 1;

	if (len == 0)
		return -ENAMETOOLONG;
	fd = socket(addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (addr.ss_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (struct sockaddr *)&addr, len) < 0 && errno != EINPROGRESS)
		return 0;
	twin = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (twin < 0)
		return -errno;
	a->impl = channel_new(a, TAKE_FD(fd), TAKE_FD(twin));
	return a->impl != NULL ? 0 : -ENOMEM;
}

static int socket_start(struct agent *a)
{
	int r = 0;

	if (a->config->argc > 0)
		r = child_start(a->config->argv, -1, STDERR_FILENO,
				rights_of(&a->server->rights, a->config->label), &a->pid);
	if (r < 0) {
		log_error("Cannot start agent \"%s\" (%s): %s", a->config->label,
			  a->config->argv[0], strerror(-r));
		return r;
	}
	return socket_connect(a);
}

static uint64_t handshake_ms(const struct agent *a)
{
	uint64_t ms = (uint64_t)a->server->options->creds_timeout_s * 1000;

	return a->config->kind == CONFIG_SOCKET && a->config->argc > 0 ? ms + PROCESS_COMMAND_MS
								       : ms;
}

static bool process_tick(struct agent *a, uint64_t now_ms)
{
	if (a->state != AGENT_STARTING)
		return false;
	if (now_ms - a->started_ms >= handshake_ms(a)) {
		log_error("Agent \"%s\" (dom %u) did not introduce itself in time",
			  a->config->label, a->config->domain);
		agent_fail(a, AGENT_END_NOSTART, PM_ERR_NOAGENT, "terminated");
		return false;
	}
	if (a->impl == NULL && socket_connect(a) < 0)
		agent_fail(a, AGENT_END_NOSTART, PM_ERR_NOAGENT, "terminated");
	return a->state == AGENT_STARTING;
}

static void process_stop(struct agent *a)
{
	struct channel *ch = a->impl;

	a->impl = NULL;
	if (ch != NULL)
		channel_free(ch);
	if (a->config->kind == CONFIG_SOCKET && a->config->family == AF_UNIX && a->config->argc > 0)
		unlink(a->config->path);
}

static void describe_command(const struct agent *a, struct buffer *out)
{
	for (unsigned int i = 0; i < a->config->argc; i++)
		buffer_printf(out, "%s%s", i == 0 ? " cmd=" : " ", a->config->argv[i]);
}

static void describe_fds(const struct agent *a, struct buffer *out)
{
	const struct channel *ch = a->impl;

	buffer_printf(out, " %5d %3d %3d   2 ", (int)a->pid, ch != NULL ? ch->to_fd : -1,
		      ch != NULL ? ch->from_fd : -1);
}

static void pipe_describe(const struct agent *a, struct buffer *out)
{
	describe_fds(a, out);
	buffer_printf(out, "bin pipe");
	describe_command(a, out);
}

static void socket_describe(const struct agent *a, struct buffer *out)
{
	const struct config_agent *c = a->config;

	describe_fds(a, out);
	if (c->family == AF_UNIX)
		buffer_printf(out, "bin sock dom=unix port=%s", c->path);
	else if (c->service != NULL)
		buffer_printf(out, "bin sock dom=%s port=%s (%u)",
			      c->family == AF_INET ? "inet" : "ipv6", c->service, c->port);
	else
		buffer_printf(out, "bin sock dom=%s port=%u",
			      c->family == AF_INET ? "inet" : "ipv6", c->port);
	describe_command(a, out);
}

const struct agent_ops agent_pipe_ops = {
    .kind = "pipe",
    .type = 4,
    .start = pipe_start,
    .stop = process_stop,
    .ask = channel_ask,
    .notify = channel_notify,
    .backlog = channel_backlog,
    .exited = pipe_exited,
    .describe = pipe_describe,
    .tick = process_tick,
};

const struct agent_ops agent_socket_ops = {
    .kind = "socket",
    .type = 2,
    .start = socket_start,
    .stop = process_stop,
    .ask = channel_ask,
    .notify = channel_notify,
    .backlog = channel_backlog,
    .describe = socket_describe,
    .tick = process_tick,
};
