/* agent_socket - agents that listen on a socket (docs/spec/pmda.md 19.5). */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/dbpmda/agent_daemon.h"
#include "tools/dbpmda/command.h"

/* The address on which an agent listens. */
struct place {
	struct sockaddr_storage address;
	socklen_t len;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 64]; /* the address as "status" shows it */
};

static int place_unix(const struct command *c, struct place *ret)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&ret->address;
	struct stat st;

	if (stat(c->text, &st) < 0 || strlen(c->text) >= sizeof(un->sun_path)) {
		fprintf(stderr, "opensocket: %s: %s\n", c->text,
			strerror(strlen(c->text) >= sizeof(un->sun_path) ? ENAMETOOLONG : errno));
		return -1;
	}
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, c->text);
	ret->len = sizeof(*un);
	snprintf(ret->path, sizeof(ret->path), "%s", c->text);
	printf("Connect to PMDA on socket %s\n", c->text);
	return 0;
}

static int place_inet(const struct command *c, struct place *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&ret->address;

	in->sin_family = AF_INET;
	in->sin_port = htons((in_port_t)c->number);
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ret->len = sizeof(*in);
	snprintf(ret->path, sizeof(ret->path), "inet port %d", c->number);
	printf("Connect to PMDA on inet port %d\n", c->number);
	return 0;
}

static int place_ipv6(const struct command *c, struct place *ret)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&ret->address;

	in->sin6_family = AF_INET6;
	in->sin6_port = htons((in_port_t)c->number);
	in->sin6_addr = in6addr_loopback;
	ret->len = sizeof(*in);
	snprintf(ret->path, sizeof(ret->path), "ipv6 port %d", c->number);
	printf("Connect to PMDA on ipv6 port %d\n", c->number);
	return 0;
}

static int place_of(const struct command *c, struct place *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (c->form == FORM_UNIX)
		return place_unix(c, ret);
	return c->form == FORM_INET ? place_inet(c, ret) : place_ipv6(c, ret);
}

struct agent *agent_socket_open(const struct command *c, const struct agent_settings *s)
{
	struct place place;
	int fd;

	if (place_of(c, &place) < 0)
		return NULL;
	fd = socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		fprintf(stderr, "opensocket: socket: %s\n", strerror(errno));
		return NULL;
	}
	if (connect(fd, (struct sockaddr *)&place.address, place.len) < 0) {
		fprintf(stderr, "opensocket: connect: %s\n", strerror(errno));
		close(fd);
		return NULL;
	}
	return agent_daemon_new(place.path, fd, fd, 0, s);
}
