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

/*
 * The same with a time limit; 0: none. After it EAI_SYSTEM with errno ETIMEDOUT: the look-up goes
 * on in a thread, which ends by itself. At most RESOLVE_LATE_MAX such threads run at once; beyond
 * that the next name is not looked up. Numeric addresses need no thread.
 */
int resolve_host_within(const char *name, int timeout_ms, struct addrinfo **ret_list);

enum { RESOLVE_LATE_MAX = 16 };

#endif
