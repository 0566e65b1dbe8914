/* resolve - host names to addresses. */
#ifndef LIBBASE_RESOLVE_H
#define LIBBASE_RESOLVE_H

struct addrinfo;

/*
 * The addresses of a host, for streams; freeaddrinfo releases them. "localhost" is the loopback
 * interface also where no file or server says so (RFC 6761): a bare system has neither. Blocks as
 * getaddrinfo does. 0, or getaddrinfo's code.
 */
int resolve_host(const char *name, struct addrinfo **ret_list);

#endif
