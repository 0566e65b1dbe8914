/* port - see port.h. */
#include "port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pitot.h"
#include "portowner.h"

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

/* 0 if the port can be bound; *port 0 becomes the one that the system gave. */
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

static int complain(const char *address, int port, int err)
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
			return complain(addresses[i], *port, err);
	}
	if (count > 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		err = try_bind(loopback[i], port);
		if (err == 0)
			usable++;
		else if (err != -EADDRNOTAVAIL && err != -EAFNOSUPPORT)
			return complain(loopback[i], *port, err);
	}
	return usable > 0 ? 0 : complain(loopback[0], *port, err);
}
