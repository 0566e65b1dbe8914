/*
 * control_listen - the sockets of the control port (docs/spec/logger.md A7): the first free port
 * for IPv4 and IPv6 alike, and a Unix socket; and which hosts and users may do what there (A8).
 *
 * Loopback addresses alone, unless PMLOGGER_LOCAL=0.
 */
#ifndef PMLOGGER_CONTROL_LISTEN_H
#define PMLOGGER_CONTROL_LISTEN_H

#include <stdbool.h>

#include "libaccess/access_hosts.h"

struct config;
struct pdu_log_control;

enum { CONTROL_LISTEN_MAX = 3, CONTROL_PATH_MAX = 108 };

struct control_listen {
	int fds[CONTROL_LISTEN_MAX];
	int families[CONTROL_LISTEN_MAX];
	int count;
	int port;                    /* 0: none */
	char path[CONTROL_PATH_MAX]; /* "": no Unix socket */
};

/* Opens what it can; one is enough. 0, or -errno of the last failure, which has been said. */
int control_listen_open(struct control_listen *l);

/* Closes all; the socket's path stays. */
void control_listen_close(struct control_listen *l);

/*
 * Makes the list of hosts out of the rules of a configuration. Names are looked up, which may take
 * its time. 0; -EINVAL for a rule that makes no sense, said on stderr with its line; -ENOMEM.
 */
int control_access_init(struct access_hosts *hosts, const struct config *config);

/* The operation (CONFIG_OP_*) that a control request is; 0: one that everybody may, or none. */
unsigned int control_access_op(const struct pdu_log_control *request);

/* True if the other end of a Unix socket may control this process: root, or our own user. */
bool control_access_peer(int fd);

#endif
