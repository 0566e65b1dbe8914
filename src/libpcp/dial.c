/* dial - see dial.h. */
#include "libpcp/dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/resolve.h"

enum {
	ADDRS_MAX = 32, /* addresses of one name that run against each other */
	PORT_MAX = 65535,
};

/* Connections on their way to the addresses of one name. */
struct race {
	struct pollfd runners[ADDRS_MAX];
	nfds_t n;
	int winner; /* -1: none yet */
	int error;  /* of the last runner that fell: -errno */
};

static void set_port(struct sockaddr *addr, int port)
{
	if (addr->sa_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = htons((uint16_t)port);
	else
		((struct sockaddr_in6 *)addr)->sin6_port = htons((uint16_t)port);
}

static void race_enter(struct race *race, const struct addrinfo *ai, int port)
{
	AUTO_FD int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_storage addr;

	if (fd < 0) {
		race->error = -errno;
		return;
	}
	memcpy(&addr, ai->ai_addr, ai->ai_addrlen);
	set_port((struct sockaddr *)&addr, port);
	if (connect(fd, (struct sockaddr *)&addr, ai->ai_addrlen) == 0)
		race->winner = TAKE_FD(fd);
	else if (errno == EINPROGRESS || errno == EINTR)
		race->runners[race->n++] = (struct pollfd){.fd = TAKE_FD(fd), .events = POLLOUT};
	else
		race->error = -errno;
}

/* A connection attempt that poll reported has succeeded or failed. */
static void race_judge(struct race *race, struct pollfd *runner)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(runner->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error == 0) {
		race->winner = runner->fd;
	} else {
		race->error = -error;
		close(runner->fd);
	}
	*runner = race->runners[--race->n];
}

static int wait_ms(uint64_t deadline_ms)
{
	uint64_t now;

	if (deadline_ms == 0)
		return -1;
	now = clock_mono_ms();
	return now >= deadline_ms ? 0 : (int)(deadline_ms - now);
}

static void race_run(struct race *race, uint64_t deadline_ms)
{
	while (race->winner < 0 && race->n > 0) {
		int r = poll(race->runners, race->n, wait_ms(deadline_ms));

		if (r == 0 || (r < 0 && errno != EINTR)) {
			race->error = r == 0 ? -ETIMEDOUT : -errno;
			return;
		}
		for (nfds_t i = race->n; r > 0 && i-- > 0 && race->winner < 0;) {
			if (race->runners[i].revents != 0)
				race_judge(race, &race->runners[i]);
		}
	}
}

static int race_addresses(const struct addrinfo *list, int port, int timeout_ms, int *ret_fd)
{
	struct race race = {.winner = -1, .error = -EHOSTUNREACH};
	uint64_t deadline_ms = timeout_ms == 0 ? 0 : clock_mono_ms() + (uint64_t)timeout_ms;
	const int on = 1;
	int flags;

	for (const struct addrinfo *ai = list; ai != NULL && race.n < ADDRS_MAX && race.winner < 0;
	     ai = ai->ai_next) {
		if (ai->ai_family == AF_INET || ai->ai_family == AF_INET6)
			race_enter(&race, ai, port);
	}
	race_run(&race, deadline_ms);
	for (nfds_t i = 0; i < race.n; i++)
		close(race.runners[i].fd);
	if (race.winner < 0)
		return race.error;
	flags = fcntl(race.winner, F_GETFL);
	fcntl(race.winner, F_SETFL, flags & ~O_NONBLOCK);
	setsockopt(race.winner, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret_fd = race.winner;
	return 0;
}

int dial_tcp(const char *host, const int *ports, size_t nports, int timeout_ms, int *ret_fd)
{
	struct addrinfo *list;
	int r;

	if (*host == '\0')
		return -EHOSTUNREACH;
	r = resolve_host_within(host, timeout_ms, &list);
	if (r != 0)
		return r == EAI_SYSTEM && errno == ETIMEDOUT ? -ETIMEDOUT : -EHOSTUNREACH;
	r = -ECONNREFUSED;
	for (size_t i = 0; i < nports; i++) {
		/* Nothing can listen on other numbers, so they refuse like a closed port. */
		if (ports[i] < 1 || ports[i] > PORT_MAX)
			r = -ECONNREFUSED;
		else
			r = race_addresses(list, ports[i], timeout_ms, ret_fd);
		if (r == 0)
			break;
	}
	freeaddrinfo(list);
	return r;
}

int dial_unix(const char *path, int timeout_ms, int *ret_fd)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
	AUTO_FD int fd = -1;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* The send time limit also bounds the wait for a place in the listener's queue. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	while (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		if (errno == EAGAIN)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}
