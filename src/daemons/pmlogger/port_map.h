/*
 * port_map - the files with the address of the control port (docs/spec/logger.md A7): the port map
 * file, named after the process id, and for the primary recorder the links to it and to the socket.
 *
 * One a process: the paths are kept where a signal handler finds them.
 */
#ifndef PMLOGGER_PORT_MAP_H
#define PMLOGGER_PORT_MAP_H

#include <stdbool.h>

struct port_map {
	int port;
	const char *pmcd_host;
	const char *archive;
	const char *note;   /* NULL: none */
	const char *socket; /* path; "": none */
	bool primary;
};

/*
 * Looks for a primary recorder before this one may be it, and takes away what dead ones left. 0;
 * -EEXIST, said on stderr, if one is alive; -errno.
 */
int port_map_claim(bool primary);

/* Writes the file, whole or not at all, and the links. 0 or -errno. */
int port_map_write(const struct port_map *map);

/* Removes what this process wrote, the socket too; safe in a signal handler. */
void port_map_remove(void);

#endif
