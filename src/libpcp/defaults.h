/*
 * defaults - the environment of a client: where a collector and a proxy are when a host
 * specification does not say (docs/spec/pmapi.md 3.3), and how long a client waits
 * (docs/spec/pdu.md 14).
 *
 * The environment is read once, on first use. A time limit that is not a number of seconds is
 * ignored with a warning.
 */
#ifndef LIBPCP_DEFAULTS_H
#define LIBPCP_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* The ports of a collector, PMCD_PORT or 44321; those of a proxy, PMPROXY_PORT or 44322. */
const int *defaults_pmcd_ports(size_t *ret_n);
const int *defaults_proxy_ports(size_t *ret_n);

/* The proxy that every connection is to use, PMPROXY_HOST; NULL: none. */
const char *defaults_proxy_host(void);

/* The collector's Unix socket: PMCD_SOCKET, or pmcd.socket in PCP_RUN_DIR; NULL if unknown. */
const char *defaults_socket(void);

/*
 * The folders in which a `pitot up` of this user has its sockets and its recorder's port maps,
 * where the environment does not say which collector is meant: the first at or after *pos that
 * exists and that other users cannot write to, and *pos is moved on; NULL if there is none.
 */
const char *defaults_own_folder(size_t *pos);

/*
 * The socket of a collector that this user started with `pitot up`, where nothing in the
 * environment says which collector is meant; NULL if this user has started none.
 */
const char *defaults_own_socket(void);

/* Milliseconds to connect to one port of a host; 0: without limit. */
int timeouts_connect_ms(void);

/* Milliseconds for the steps of the handshake; 0: without limit. */
int timeouts_handshake_ms(void);

/* Milliseconds for one whole reply. They are whole seconds: less than one means no limit (0). */
int timeouts_reply_ms(void);

/* Seconds to pause before the attempt after the nth failure in a row, n from 1. */
int timeouts_reconnect_sec(unsigned int failures);

/*
 * True if PCP_RUN_DIR was in the environment before config.c added the variables of pcp.conf to it:
 * after that the environment no longer shows which variables the caller has set.
 */
bool config_run_dir_given(void);

#endif
