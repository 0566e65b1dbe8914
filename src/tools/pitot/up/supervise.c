/*
 * supervise - keeps daemons running, and finds free ports for them.
 */
#include "tools/pitot/up/up.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"

/*
 * Ports
 */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_parse(const char *text, int port, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons((uint16_t)port);
		return sizeof(a->v4);
	}
	if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons((uint16_t)port);
		return sizeof(a->v6);
	}
	return 0;
}

/* Returns 0 if the port can be bound; *port 0 is replaced by the port that the system chose. */
static int try_bind(const char *text, int *port)
{
	union address a;
	socklen_t len = address_parse(text, *port, &a);
	int one = 1, err = 0;
	int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, &a.any, len) < 0 || listen(fd, 1) < 0)
		err = -errno;
	else if (*port == 0 && getsockname(fd, &a.any, &len) == 0)
		*port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	close(fd);
	return err;
}

static void complain_taken(const char *address, int port)
{
	struct portowner owner;
	char text[128] = "somebody";

	portowner_find(port, &owner);
	if (owner.taken)
		portowner_text(&owner, text, sizeof(text));
	pitot_complain("port %d of %s is taken by %s; choose another with --port N", port, address,
		       text);
}

static int supervise_complain(const char *address, int port, int err)
{
	if (err == -EADDRINUSE)
		complain_taken(address, port);
	else
		pitot_complain("cannot listen on port %d of %s: %s", port, address, strerror(-err));
	return -1;
}

int port_check(int *port, char *const addresses[], int count)
{
	static char *const loopback[] = {"127.0.0.1", "::1"};
	union address a;
	int usable = 0, err = 0;

	for (int i = 0; i < count; i++) {
		if (address_parse(addresses[i], 0, &a) == 0) {
			pitot_complain("--listen: '%s' is no IPv4 or IPv6 address", addresses[i]);
			return -1;
		}
		err = try_bind(addresses[i], port);
		if (err < 0)
			return supervise_complain(addresses[i], *port, err);
	}
	if (count > 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		err = try_bind(loopback[i], port);
		if (err == 0)
			usable++;
		else if (err != -EADDRNOTAVAIL && err != -EAFNOSUPPORT)
			return supervise_complain(loopback[i], *port, err);
	}
	return usable > 0 ? 0 : supervise_complain(loopback[0], *port, err);
}

/*
 * Daemons
 */

enum {
	PAUSE_MIN_MS = 1000,
	PAUSE_MAX_MS = 60000,
	STEADY_MS = 60000, /* after a run of this length earlier deaths are forgotten */
	STOP_MS = 5000,    /* the time that one may take to end */
};

static int64_t supervise_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int supervise_wait(int64_t timeout_ms)
{
	const sigset_t set = child_parent_signals();
	struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000};
	int sig;

	do {
		sig = timeout_ms < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &ts);
	} while (sig < 0 && errno == EINTR && timeout_ms < 0);
	return sig > 0 ? sig : 0;
}

int daemon_start(struct daemon *d, const struct daemon_user *user)
{
	int r = child_start(&d->child, (char **)d->argv, user->name, user->uid, user->gid);

	if (d->pause_ms == 0)
		d->pause_ms = PAUSE_MIN_MS;
	d->started_ms = supervise_now_ms();
	d->start_at_ms = 0;
	if (r < 0)
		pitot_complain("cannot start %s: %s", d->argv[0], strerror(-r));
	if (d->changed != NULL)
		d->changed(d);
	return r;
}

void daemon_stop(struct daemon *d)
{
	d->start_at_ms = 0;
	child_stop(&d->child, STOP_MS);
}

/* Reports that a daemon has died, and when it will be started again. */
static void mourn(struct daemon *d, int64_t now)
{
	char text[64];

	if (now - d->started_ms > STEADY_MS)
		d->pause_ms = PAUSE_MIN_MS;
	pitot_complain("%s %s; starting it again in %d s (log: %s)", d->what,
		       child_status_text(&d->child, text, sizeof(text)), d->pause_ms / 1000,
		       d->log);
	d->start_at_ms = now + d->pause_ms;
	d->pause_ms = d->pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : d->pause_ms * 2;
	if (d->changed != NULL)
		d->changed(d);
}

/* Does the work that is due for a daemon. Returns the time of the next. */
static int64_t look_after(struct daemon *d, const struct daemon_user *user, int64_t now)
{
	if (d->start_at_ms == 0 && child_ended(&d->child))
		mourn(d, now);
	if (d->start_at_ms != 0 && now >= d->start_at_ms && daemon_start(d, user) < 0)
		d->start_at_ms = now + d->pause_ms;
	return d->start_at_ms != 0 ? d->start_at_ms : INT64_MAX;
}

void supervise(struct daemon *const daemons[], int n, const struct daemon_user *user, long seconds)
{
	const int64_t end = seconds > 0 ? supervise_now_ms() + seconds * 1000 : INT64_MAX;

	for (;;) {
		int64_t now = supervise_now_ms(), next = end;
		int sig;

		if (now >= end)
			return;
		for (int i = 0; i < n; i++) {
			int64_t at = look_after(daemons[i], user, now);

			if (at < next)
				next = at;
		}
		sig = supervise_wait(next == INT64_MAX ? -1 : next - now);
		if (sig == SIGINT || sig == SIGTERM)
			return;
		for (int i = 0; sig == SIGHUP && i < n; i++) {
			if (daemons[i]->rereads && daemons[i]->child.pid != 0)
				kill(daemons[i]->child.pid, SIGHUP);
		}
	}
}
