/*
 * logger_ports - the recorders that run, according to port map files and collectors
 * (docs/spec/logger.md A7, B6).
 */
#ifndef LIBPCP_LOGGER_PORTS_H
#define LIBPCP_LOGGER_PORTS_H

#include <stddef.h>

#include <pcp/libpcp.h>

/* Entries with their own strings; all zero is an empty list. */
struct logger_ports {
	__pmLogPort *list;
	size_t n;
	size_t room;
};

/* Adds an entry; the strings are copied. 0 or -ENOMEM. */
int logger_ports_add(struct logger_ports *ports, const __pmLogPort *port);

/* The recorders that the collector of a host reports. Errors of contexts and fetches. */
int logger_ports_there(const char *host, int pid, struct logger_ports *ports);

#endif
