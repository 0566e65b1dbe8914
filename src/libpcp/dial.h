/*
 * dial - a connected stream socket to a name and port, or to a path.
 *
 * Both give a blocking descriptor with close-on-exec, and return 0 or -errno: -EHOSTUNREACH for a
 * name without addresses, -ETIMEDOUT, -ECONNREFUSED, -ENOENT … timeout_ms 0 waits without limit.
 */
#ifndef LIBPCP_DIAL_H
#define LIBPCP_DIAL_H

#include <stddef.h>

/*
 * Tries the ports in order; for each, all addresses of the name at once, and the first to answer
 * wins (docs/spec/pdu.md 14). The limit holds for finding the addresses, and again for each port:
 * -ETIMEDOUT. TCP_NODELAY is set.
 */
int dial_tcp(const char *host, const int *ports, size_t nports, int timeout_ms, int *ret_fd);

/* -ENAMETOOLONG if the path does not fit a socket address. */
int dial_unix(const char *path, int timeout_ms, int *ret_fd);

#endif
