/*
 * address - the addresses and connections of PCP's portability layer: an address is one of the
 * system's in a block of fixed size, and a host a list of them.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/un.h>

#include "libbase/cleanup.h"
#include "libbase/resolve.h"
#include "libpcp/compat/compat.h"

struct __pmSockAddr {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	};
};

struct __pmHostEnt {
	struct addrinfo *list; /* not empty */
};

/* ---- Sockets -------------------------------------------------------------------------------- */

static int create(int family)
{
	const int on = 1;
	const struct linger no_wait = {.l_onoff = 1, .l_linger = 0};
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &no_wait, sizeof(no_wait));
	return fd;
}

int __pmCreateSocket(void)
{
	return create(AF_INET);
}

int __pmCreateIPv6Socket(void)
{
	return create(AF_INET6);
}

int __pmCreateUnixSocket(void)
{
	return create(AF_UNIX);
}

int __pmSocketIPC(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

static socklen_t length(const __pmSockAddr *addr)
{
	switch (addr->any.sa_family) {
	case AF_INET:
		return sizeof(addr->in);
	case AF_INET6:
		return sizeof(addr->in6);
	default:
		return sizeof(addr->un);
	}
}

/* Closes a descriptor that is of no more use: the result is the error that led to it. */
static int give_up(int fd, int error)
{
	close(fd);
	return -error;
}

int __pmConnectTo(int fd, const __pmSockAddr *addr, int port)
{
	__pmSockAddr there = *addr;
	int flags = fcntl(fd, F_GETFL);

	__pmSockAddrSetPort(&there, port);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return give_up(fd, errno);
	if (connect(fd, &there.any, length(&there)) < 0 && errno != EINPROGRESS)
		return give_up(fd, errno);
	return flags;
}

int __pmConnectCheckError(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

int __pmConnectRestoreFlags(int fd, int flags)
{
	if (fcntl(fd, F_SETFL, flags) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return give_up(fd, errno);
	return fd;
}

/* ---- Addresses ------------------------------------------------------------------------------ */

__pmSockAddr *__pmSockAddrAlloc(void)
{
	return calloc(1, sizeof(__pmSockAddr));
}

void __pmSockAddrFree(__pmSockAddr *addr)
{
	free(addr);
}

size_t __pmSockAddrSize(void)
{
	return sizeof(__pmSockAddr);
}

void __pmSockAddrInit(__pmSockAddr *addr, int family, int address, int port)
{
	memset(addr, 0, sizeof(*addr));
	__pmSockAddrSetFamily(addr, family);
	if (family == AF_INET)
		addr->in.sin_addr.s_addr = htonl((uint32_t)address);
	else if (family == AF_INET6 && (uint32_t)address == INADDR_LOOPBACK)
		addr->in6.sin6_addr = in6addr_loopback;
	__pmSockAddrSetPort(addr, port);
}

void __pmSockAddrSetFamily(__pmSockAddr *addr, int family)
{
	addr->any.sa_family = (sa_family_t)family;
}

void __pmSockAddrSetPath(__pmSockAddr *addr, const char *path)
{
	if (addr->any.sa_family == AF_UNIX)
		pmsprintf(addr->un.sun_path, sizeof(addr->un.sun_path), "%s", path);
}

void __pmSockAddrSetPort(__pmSockAddr *addr, int port)
{
	if (addr->any.sa_family == AF_INET)
		addr->in.sin_port = htons((uint16_t)port);
	else if (addr->any.sa_family == AF_INET6)
		addr->in6.sin6_port = htons((uint16_t)port);
}

int __pmSockAddrGetFamily(const __pmSockAddr *addr)
{
	return addr->any.sa_family;
}

int __pmSockAddrIsInet(const __pmSockAddr *addr)
{
	return addr->any.sa_family == AF_INET;
}

int __pmSockAddrIsIPv6(const __pmSockAddr *addr)
{
	return addr->any.sa_family == AF_INET6;
}

/* The host of an address as a text: its name if there is one, and flags allow it. */
static char *text_of(const __pmSockAddr *addr, int flags)
{
	char text[NI_MAXHOST];

	if (addr->any.sa_family == AF_UNIX)
		return strdup(addr->un.sun_path);
	if (getnameinfo(&addr->any, length(addr), text, sizeof(text), NULL, 0, flags) != 0)
		return NULL;
	return strdup(text);
}

char *__pmSockAddrToString(const __pmSockAddr *addr)
{
	return text_of(addr, NI_NUMERICHOST);
}

char *__pmGetNameInfo(__pmSockAddr *addr)
{
	return text_of(addr, 0);
}

/* ---- Hosts ---------------------------------------------------------------------------------- */

static bool is_supported(const struct addrinfo *item)
{
	return (item->ai_family == AF_INET || item->ai_family == AF_INET6) &&
	       item->ai_addrlen <= sizeof(__pmSockAddr);
}

__pmHostEnt *__pmGetAddrInfo(const char *name)
{
	__pmHostEnt *host = calloc(1, sizeof(*host));

	if (host != NULL && resolve_host(name, &host->list) != 0) {
		free(host);
		return NULL;
	}
	return host;
}

void __pmHostEntFree(__pmHostEnt *host)
{
	if (host == NULL)
		return;
	if (host->list != NULL)
		freeaddrinfo(host->list);
	free(host);
}

/* *iter is the entry of the address that was returned last. */
__pmSockAddr *__pmHostEntGetSockAddr(const __pmHostEnt *host, void **iter)
{
	const struct addrinfo *last = *iter;
	struct addrinfo *item = last == NULL ? host->list : last->ai_next;
	__pmSockAddr *addr;

	while (item != NULL && !is_supported(item))
		item = item->ai_next;
	*iter = item;
	if (item == NULL)
		return NULL;
	addr = __pmSockAddrAlloc();
	if (addr != NULL)
		memcpy(addr, item->ai_addr, item->ai_addrlen);
	return addr;
}

char *__pmHostEntGetName(__pmHostEnt *host)
{
	void *iter = NULL;
	AUTO_FREE __pmSockAddr *first = __pmHostEntGetSockAddr(host, &iter);

	return first == NULL ? NULL : __pmGetNameInfo(first);
}
