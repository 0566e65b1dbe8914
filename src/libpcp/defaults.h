/*
 * defaults - where a collector and a proxy are when a host specification does not say
 * (docs/spec/pmapi.md 3.3). The environment is read once, on first use.
 */
#ifndef LIBPCP_DEFAULTS_H
#define LIBPCP_DEFAULTS_H

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
 * The socket of a collector that this user started with `pitot up`, where nothing in the environment
 * says which collector is meant; NULL if there is none that is his.
 */
const char *defaults_own_socket(void);

#endif
