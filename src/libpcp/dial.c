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
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/resolve.h"

enum {
	ADDRS_MAX = 32, /* addresses of one name that are tried at once */
	PORT_MAX = 65535,
};

/* The connection attempts to the addresses of one name. */
struct race {
	struct pollfd runners[ADDRS_MAX];
	nfds_t n;
	int winner; /* -1: none yet */
	int error;  /* of the last runner that failed: -errno */
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

/* ---- The handshake -------------------------------------------------------------------------- */

enum { PROXY_LINE_MAX = 64 };

static const char proxy_hello[] = "pmproxy-client 1\n";
static const char proxy_answer[] = "pmproxy-server 1";

/* One line that ends with a newline or a carriage return must be the proxy's answer. */
static int expect_answer(struct conn *c)
{
	const uint8_t *bytes;
	size_t len = 0;
	size_t line = 0;
	int r;

	for (;;) {
		r = conn_peek(c, len + 1, &bytes, &len);
		if (r < 0)
			return r;
		while (line < len && bytes[line] != '\n' && bytes[line] != '\r')
			line++;
		if (line < len)
			break;
		if (len > PROXY_LINE_MAX)
			return PM_ERR_IPC;
	}
	if (line != strlen(proxy_answer) || memcmp(bytes, proxy_answer, line) != 0)
		return PM_ERR_IPC;
	conn_skip(c, line + 1);
	return 0;
}

int handshake_proxy(struct conn *c, const char *host, int port)
{
	int r;

	buffer_put(&c->out, proxy_hello, strlen(proxy_hello));
	r = c->out.err;
	if (r == 0)
		r = conn_flush(c);
	if (r == 0)
		r = expect_answer(c);
	if (r == 0) {
		buffer_printf(&c->out, "%s %d\n", host, port);
		r = c->out.err;
	}
	if (r == 0)
		r = conn_flush(c);
	if (r < 0)
		conn_close(c, PM_ERR_IPC);
	return r;
}

/* The flags of our credentials (docs/spec/pdu.md 8.3), or why there can be no agreement. */
static int choose_flags(unsigned int features, const struct handshake_options *o)
{
	unsigned int flags = features & PDU_FEATURE_CREDS_REQD;

	/* A certificate needs TLS, which the caller must ask for. */
	if ((features & PDU_FEATURE_CERT_REQD) != 0 && !o->local && !o->secure)
		return PM_ERR_NEEDCLIENTCERT;
	if (o->secure || o->compress || o->auth)
		return -EOPNOTSUPP;
	/* Without a Unix socket the demand for credentials means a login. */
	if ((features & PDU_FEATURE_CREDS_REQD) != 0 && !o->unixsock)
		return -EOPNOTSUPP;
	if (o->container != NULL && (features & PDU_FEATURE_CONTAINER) == 0)
		return -EOPNOTSUPP;
	if (o->container != NULL)
		flags |= PDU_FEATURE_CONTAINER;
	return (int)flags;
}

static int put_creds(struct conn *c, unsigned int flags)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, flags);
	const union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};
	int32_t from = c->from;
	int r;

	c->from = (int32_t)getpid();
	r = conn_put(c, PDU_CREDS, &body);
	c->from = from;
	return r;
}

static int put_container(struct conn *c, const char *name)
{
	const union pdu_body body = {
	    .attr =
		{
		    .key = PDU_ATTR_CONTAINER,
		    .value = {.s = name, .len = (uint32_t)strlen(name)},
		},
	};
	int32_t from = c->from;
	int r;

	c->from = 0;
	r = conn_put(c, PDU_ATTR, &body);
	c->from = from;
	return r;
}

static int answer_challenge(struct conn *c, const struct handshake_options *options)
{
	int flags = choose_flags(c->features, options);
	int r;

	if (flags < 0)
		return flags;
	r = put_creds(c, (unsigned int)flags);
	if (r == 0 && (flags & PDU_FEATURE_CONTAINER) != 0)
		r = put_container(c, options->container);
	if (r == 0)
		r = conn_flush(c);
	/* The collector may refuse flags or an account. It never answers plain credentials. */
	c->untried = flags != 0;
	return r;
}

int handshake_client(struct conn *c, const struct handshake_options *options)
{
	union pdu_body body;
	int r;

	r = conn_reply(c, PDU_ERROR, NULL, &body);
	/* Bytes of another protocol usually look like a huge PDU. */
	if (r == PM_ERR_TOOBIG || (r == 0 && !body.error.extended))
		r = PM_ERR_IPC;
	if (r == 0) {
		c->features = body.error.datum & 0xffff;
		r = answer_challenge(c, options);
	}
	if (r < 0)
		conn_close(c, PM_ERR_IPC);
	return r;
}
