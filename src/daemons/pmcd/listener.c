/* listener - see listener.h. */
#include "daemons/pmcd/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemons/pmcd/log.h"
#include "daemons/pmcd/loop.h"
#include "daemons/pmcd/options.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"

enum {
	BIND_TRIES = 4,
	BIND_NAP_MS = 250,
	DESCRIPTORS_RESERVED = 32,
};

static void listener_ready(uv_poll_t *handle, int status, int events);

static void listener_watch(struct listeners *l, enum listeners_which which)
{
	for (unsigned int i = 0; i < l->count; i++) {
		if (which == LISTENERS_ALL ||
		    (which == LISTENERS_LOCAL && l->all[i].family == AF_UNIX))
			uv_poll_start(&l->all[i].poll, UV_READABLE, listener_ready);
		else
			uv_poll_stop(&l->all[i].poll);
	}
}

/* Takes over fd. */
static void listener_add(struct listeners *l, int fd, const struct sockaddr *addr, const char *text)
{
	struct listener *one = &l->all[l->count];
	struct sockaddr_in6 got;
	socklen_t len = sizeof(got);

	one->fd = fd;
	one->family = addr->sa_family;
	one->text = strdup(text);
	/* The port is at the same place for both families. */
	if (addr->sa_family != AF_UNIX && getsockname(fd, (struct sockaddr *)&got, &len) == 0)
		one->port = ntohs(got.sin6_port);
	uv_poll_init(&l->loop->uv, &one->poll, fd);
	one->poll.data = l;
	l->count++;
}

static int try_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct timespec nap = {.tv_nsec = BIND_NAP_MS * 1000000L};

	for (int i = 0; i < BIND_TRIES; i++) {
		if (i > 0)
			nanosleep(&nap, NULL);
		if (bind(fd, addr, len) == 0)
			return 0;
		if (errno != EADDRINUSE)
			break;
	}
	return -errno;
}

static void set_options(int fd, int family)
{
	int one = 1;

	if (family == AF_UNIX)
		return;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
}

/* The port is at the same place for both families. */
static unsigned int addr_port(const struct sockaddr *addr)
{
	return ntohs(((const struct sockaddr_in *)addr)->sin_port);
}

static void listener_complain(const struct sockaddr *addr, const char *text, int err)
{
	const char *hint = err == -EADDRINUSE ? " (pmcd may already be running)" : "";

	if (addr->sa_family == AF_UNIX)
		log_error("Cannot bind: path=\"%s\", error=%s%s", text, strerror(-err), hint);
	else
		log_error("Cannot bind: address=\"%s\", port=%u, error=%s%s", text, addr_port(addr),
			  strerror(-err), hint);
}

static int open_one(struct listeners *l, const struct sockaddr *addr, socklen_t len,
		    const char *text)
{
	AUTO_FD int fd = -1;
	int r;

	if (l->count == LISTENERS_MAX)
		return -ENOBUFS;
	fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	set_options(fd, addr->sa_family);
	r = try_bind(fd, addr, len);
	if (r < 0) {
		listener_complain(addr, text, r);
		return r;
	}
	if (listen(fd, l->backlog) < 0)
		return -errno;
	listener_add(l, TAKE_FD(fd), addr, text);
	return 0;
}

/*
 * TCP: each address with each port
 */

static int open_address(struct listeners *l, const char *address, uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	if (inet_pton(AF_INET, address, &in.sin_addr) == 1)
		return open_one(l, (struct sockaddr *)&in, sizeof(in), address);
	if (inet_pton(AF_INET6, address, &in6.sin6_addr) == 1)
		return open_one(l, (struct sockaddr *)&in6, sizeof(in6), address);
	log_error("Cannot listen: \"%s\" is no address", address);
	return -EINVAL;
}

/* An ephemeral port is the same number on all addresses: the second follows the first. */
static int open_port(struct listeners *l, const struct options *o, uint16_t port)
{
	static const char *const loopback[] = {"127.0.0.1", "::1"};
	static const char *const any[] = {"0.0.0.0", "::"};
	const char *const *addresses = o->any_address ? any : loopback;
	unsigned int n = 2;
	int good = 0;

	if (o->ninterface > 0 && port != 0) {
		addresses = (const char *const *)o->interfaces;
		n = o->ninterface;
	} else if (port == 0) {
		addresses = loopback;
	}
	for (unsigned int i = 0; i < n; i++) {
		if (open_address(l, addresses[i], port) < 0)
			continue;
		good++;
		if (port == 0)
			port = l->all[l->count - 1].port;
	}
	return good > 0 ? 0 : -EADDRNOTAVAIL;
}

/* Unix: a socket file without a listener is a left-over */

static bool is_stale(const struct sockaddr_un *un)
{
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd >= 0 && connect(fd, (const struct sockaddr *)un, sizeof(*un)) < 0 &&
	       errno == ECONNREFUSED;
}

static int open_unix(struct listeners *l, const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	mode_t mask;
	int r;

	if (strlen(path) >= sizeof(un.sun_path)) {
		log_error("Cannot bind: path=\"%s\", error=%s", path, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	strcpy(un.sun_path, path);
	if (is_stale(&un))
		unlink(path);
	/* Every user may connect. The socket is created with that mode, because a chmod by name
	 * could change another file: the folder belongs to the user that root becomes. */
	mask = umask(0111);
	r = open_one(l, (struct sockaddr *)&un, sizeof(un), path);
	umask(mask);
	if (r < 0)
		return r;
	l->unix_path = strdup(path);
	return 0;
}

/* Agents open files too: the last descriptors are not for clients. */
static int client_fd_end(void)
{
	struct rlimit limit;
	rlim_t reserve;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT_MAX)
		return INT_MAX;
	reserve = limit.rlim_cur / 8;
	if (reserve > DESCRIPTORS_RESERVED)
		reserve = DESCRIPTORS_RESERVED;
	return (int)(limit.rlim_cur - reserve);
}

int listeners_open(struct listeners *l, struct loop *loop, const struct options *options,
		   const struct listeners_ops *ops, void *arg)
{
	int last = -ENOTCONN;

	l->loop = loop;
	l->ops = ops;
	l->arg = arg;
	l->backlog = options->backlog;
	l->fd_end = client_fd_end();
	l->all = calloc(LISTENERS_MAX, sizeof(*l->all));
	if (l->all == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < options->nport; i++) {
		int r = open_port(l, options, options->ports[i]);

		last = r < 0 ? r : last;
	}
	if (options->socket_path[0] != '\0') {
		int r = open_unix(l, options->socket_path);

		last = r < 0 ? r : last;
	}
	return l->count > 0 ? 0 : last;
}

int listeners_highest_fd(const struct listeners *l)
{
	int highest = -1;

	for (unsigned int i = 0; i < l->count; i++)
		highest = l->all[i].fd > highest ? l->all[i].fd : highest;
	return highest;
}

void listeners_close(struct listeners *l)
{
	for (unsigned int i = 0; i < l->count; i++) {
		uv_close((uv_handle_t *)&l->all[i].poll, NULL);
		close(l->all[i].fd);
		free(l->all[i].text);
	}
	l->count = 0;
	if (l->unix_path != NULL)
		unlink(l->unix_path);
	free(l->unix_path);
	l->unix_path = NULL;
}

void listeners_serve(struct listeners *l, enum listeners_which which)
{
	l->serving = which;
	if (!l->starved)
		listener_watch(l, which);
}

/*
 * Accepting
 */

static void starve(struct listeners *l)
{
	l->ops->starved(l->arg);
	l->starved = true;
	l->starved_ms = loop_run_ms(l->loop);
	listener_watch(l, LISTENERS_NONE);
	loop_want_tick(l->loop);
}

/* The limit may have been raised meanwhile (prlimit(1)). */
static bool is_reserved(struct listeners *l, int fd)
{
	if (fd >= l->fd_end)
		l->fd_end = client_fd_end();
	return fd >= l->fd_end;
}

/* The number of a copy is the lowest that is free. The number of a connection alone does not show
 * that there is room: one below the reserve may just have been left, while others are still in the
 * reserve. */
bool listeners_are_short(struct listeners *l, int fd)
{
	AUTO_FD int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy >= 0 && !is_reserved(l, copy))
		return false;
	l->short_ms = loop_run_ms(l->loop);
	return true;
}

static void listener_ready(uv_poll_t *handle, int status, int events)
{
	struct listener *one = CONTAINER_OF(handle, struct listener, poll);
	struct listeners *l = handle->data;
	struct sockaddr_storage peer;

	for (int i = 0; i < LISTENER_BURST; i++) {
		socklen_t len = sizeof(peer);
		int fd =
		    accept4(one->fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0) {
			if ((errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			     errno == ENOMEM) &&
			    !l->ops->make_room(l->arg))
				starve(l);
			return;
		}
		peer.ss_family = (sa_family_t)one->family;
		if (!l->ops->accept(l->arg, fd, (struct sockaddr *)&peer)) {
			starve(l);
			return;
		}
	}
}

bool listeners_were_short(const struct listeners *l)
{
	return l->starved ||
	       (l->short_ms != 0 && loop_run_ms(l->loop) - l->short_ms < LISTENER_SHORT_MS);
}

void listeners_resume(struct listeners *l)
{
	if (!l->starved)
		return;
	l->starved = false;
	listener_watch(l, l->serving);
}

bool listeners_tick(struct listeners *l, uint64_t now_ms)
{
	if (l->starved && now_ms - l->starved_ms >= LISTENER_PAUSE_MS)
		listeners_resume(l);
	return l->starved;
}

void listeners_dump(const struct listeners *l, struct buffer *out)
{
	buffer_printf(out, "pmcd request port(s):\n"
			   "  sts fd   port  family address\n"
			   "  === ==== ===== ====== =======\n");
	for (unsigned int i = 0; i < l->count; i++) {
		const struct listener *one = &l->all[i];

		if (one->family == AF_UNIX)
			buffer_printf(out, "  ok  %4d       unix   %s\n", one->fd, one->text);
		else
			buffer_printf(out, "  ok  %4d %5u %-6s %s\n", one->fd, one->port,
				      one->family == AF_INET ? "inet" : "ipv6", one->text);
	}
}
