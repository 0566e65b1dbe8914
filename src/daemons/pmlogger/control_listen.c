/* control_listen - see control_listen.h. */
#include "daemons/pmlogger/control_listen.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/pmapi.h>

#include "daemons/pmlogger/config.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libwire/pdu.h"

enum {
	PORT_FIRST = 4330,
	PORT_LAST = 65535,
	BACKLOG = 5,
	FOLDER_MODE = 0700, /* of a user's own sockets */
};

/* A number of the environment within its bounds; another value is reported and not used. */
static int listen_number_of(const char *name, int min, int max, int otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (text == NULL || *text == '\0')
		return otherwise;
	n = strtol(text, &end, 10);
	if (*end == '\0' && n >= min && n <= max)
		return (int)n;
	pmNotifyErr(LOG_WARNING, "ignored bad %s = '%s'\n", name, text);
	return otherwise;
}

static void listen_keep(struct control_listen *l, int fd, int family)
{
	l->fds[l->count] = fd;
	l->families[l->count++] = family;
}

static int listen_on(const struct sockaddr *addr, socklen_t len, int *ret_fd)
{
	AUTO_FD int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int one = 1;

	if (fd < 0)
		return -errno;
	if (addr->sa_family != AF_UNIX) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	if (addr->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, addr, len) < 0 ||
	    listen(fd, listen_number_of("PMLOGGER_MAXPENDING", 1, SOMAXCONN, BACKLOG)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Both families on one port. -EADDRINUSE: the next one; another error where neither works. */
static int open_port(struct control_listen *l, int port, bool local)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(local ? INADDR_LOOPBACK : INADDR_ANY)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
				   .sin6_port = htons((uint16_t)port),
				   .sin6_addr = local ? in6addr_loopback : in6addr_any};
	AUTO_FD int fd4 = -1;
	AUTO_FD int fd6 = -1;
	int r4 = listen_on((struct sockaddr *)&in, sizeof(in), &fd4);
	int r6 = listen_on((struct sockaddr *)&in6, sizeof(in6), &fd6);

	if (r4 == -EADDRINUSE || r6 == -EADDRINUSE)
		return -EADDRINUSE;
	if (r4 < 0 && r6 < 0)
		return r4;
	if (r4 == 0)
		listen_keep(l, TAKE_FD(fd4), AF_INET);
	if (r6 == 0)
		listen_keep(l, TAKE_FD(fd6), AF_INET6);
	l->port = port;
	return 0;
}

static int open_tcp(struct control_listen *l)
{
	bool local = listen_number_of("PMLOGGER_LOCAL", 0, 1, 1) == 1;
	int port = listen_number_of("PMLOGGER_PORT", 1, PORT_LAST, PORT_FIRST);
	char text[PM_MAXERRMSGLEN];
	int r = -EADDRINUSE;

	for (; r == -EADDRINUSE && port <= PORT_LAST; port++)
		r = open_port(l, port, local);
	if (r < 0)
		pmNotifyErr(LOG_ERR, "control port: no TCP socket: %s\n",
			    pmErrStr_r(r, text, sizeof(text)));
	return r;
}

static bool listen_fits(char *path, const char *folder, const char *below)
{
	return folder != NULL && *folder != '\0' &&
	       snprintf(path, CONTROL_PATH_MAX, "%s%s/pmlogger.%d.socket", folder, below,
			(int)getpid()) < CONTROL_PATH_MAX;
}

/* Every user may connect: rights are checked with each request. A file of that name is a dead
 * process's. */
static int bind_path(struct control_listen *l, const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	mode_t mask;
	int fd;
	int r;

	strcpy(un.sun_path, path);
	unlink(path);
	mask = umask(0111);
	r = listen_on((struct sockaddr *)&un, sizeof(un), &fd);
	umask(mask);
	if (r == 0) {
		listen_keep(l, fd, AF_UNIX);
		strcpy(l->path, path);
	}
	return r;
}

static int open_unix(struct control_listen *l)
{
	const char *home = getenv("HOME");
	char folder[MAXPATHLEN];
	char path[CONTROL_PATH_MAX];
	char text[PM_MAXERRMSGLEN];
	int r = -ENAMETOOLONG;

	if (listen_fits(path, pmGetOptionalConfig("PCP_RUN_DIR"), ""))
		r = bind_path(l, path);
	if (r < 0 && listen_fits(path, home, "/.pcp/run")) {
		snprintf(folder, sizeof(folder), "%s/.pcp/run", home);
		file_mkdirs(folder, FOLDER_MODE);
		r = bind_path(l, path);
	}
	if (r < 0)
		pmNotifyErr(LOG_WARNING, "control port: no Unix socket: %s\n",
			    pmErrStr_r(r, text, sizeof(text)));
	return r;
}

int control_listen_open(struct control_listen *l)
{
	int tcp;
	int un;

	*l = (struct control_listen){0};
	tcp = open_tcp(l);
	un = open_unix(l);
	return l->count > 0 ? 0 : tcp < 0 ? tcp : un;
}

void control_listen_close(struct control_listen *l)
{
	for (int i = 0; i < l->count; i++)
		close(l->fds[i]);
	l->count = 0;
}

/*
 * Access: which hosts and users may do what (docs/spec/logger.md A8)
 */

/* Names as the file has them; "" is what pmcd's list knows as everything. */
static int access_add_host(struct access_hosts *hosts, const struct access_names *names,
			   const char *name, const struct config_access *statement)
{
	const struct access_rule rule = {.specified = statement->specified,
					 .denied = statement->denied};
	struct buffer why = BUFFER_INIT;
	int r = access_hosts_add(hosts, names, name, &rule, &why);

	if (r == 0)
		fprintf(stderr, "__pmGetAddrInfo(%s), %s\n", name, buffer_str(&why));
	else if (r == -EINVAL)
		fprintf(stderr, "%s\n", buffer_str(&why));
	if (r == 0 || r == -EINVAL)
		fprintf(stderr, "error was on line %u\n", statement->line);
	buffer_done(&why);
	return r == 0 ? -EINVAL : r < 0 ? r : 0;
}

int control_access_init(struct access_hosts *hosts, const struct config *config)
{
	struct access_names names = access_names_system();
	int r = 0;

	*hosts = (struct access_hosts){0};
	if (!config->has_access)
		return 0;
	access_hosts_init(hosts, &names, CONFIG_OP_ALL);
	for (const struct config_access *a = config->access; a != NULL && r == 0; a = a->next) {
		for (const struct config_host *h = a->hosts; h != NULL && r == 0; h = h->next)
			r = access_add_host(hosts, &names, h->name, a);
	}
	if (r < 0)
		access_hosts_done(hosts);
	return r;
}

unsigned int control_access_op(const struct pdu_log_control *request)
{
	if (request->control == PM_LOG_MANDATORY)
		return CONFIG_OP_MANDATORY;
	return request->control == PM_LOG_ADVISORY ? CONFIG_OP_ADVISORY : 0;
}

bool control_access_peer(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}
