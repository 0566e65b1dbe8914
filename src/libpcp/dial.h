/*
 * dial - connecting: a stream socket to a name and port, or to a path; and the handshake, the
 * exchange on a new connection before the first request.
 *
 * Sockets are blocking, with close-on-exec; dial_* return 0 or -errno: -EHOSTUNREACH for a name
 * without addresses, -ETIMEDOUT, -ECONNREFUSED, -ENOENT … timeout_ms 0 waits without limit.
 *
 * The collector's challenge has its features; we answer with credentials and, for a container, its
 * name (docs/spec/pdu.md 8). A proxy gets a line of text first (9). TLS and SASL are not built in:
 * a caller that demands them gets -EOPNOTSUPP.
 */
#ifndef LIBPCP_DIAL_H
#define LIBPCP_DIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "libpcp/conn.h"

/*
 * Tries the ports in order; for each, all addresses of the name at once, and the first to answer
 * wins (docs/spec/pdu.md 14). The limit holds for finding the addresses, and again for each port:
 * -ETIMEDOUT. TCP_NODELAY is set.
 */
int dial_tcp(const char *host, const int *ports, size_t nports, int timeout_ms, int *ret_fd);

/* -ENAMETOOLONG if the path does not fit a socket address. */
int dial_unix(const char *path, int timeout_ms, int *ret_fd);

struct handshake_options {
	bool secure;           /* TLS or nothing */
	bool compress;         /* always refused */
	bool auth;             /* a login was asked for */
	bool local;            /* by Unix socket, or to a localhost */
	bool unixsock;         /* the collector sees our credentials by itself */
	const char *container; /* NULL: none */
};

/*
 * Names the collector to a proxy. 0, PM_ERR_IPC if the other end is not a proxy, or as conn_reply.
 * On failure the connection is closed.
 */
int handshake_proxy(struct conn *c, const char *host, int port);

/*
 * Waits for the challenge, answers it and sets c->features. The collector's refusal,
 * PM_ERR_NEEDCLIENTCERT, -EOPNOTSUPP, or as conn_reply. On failure the connection is closed.
 */
int handshake_client(struct conn *c, const struct handshake_options *options);

#endif
