/*
 * control_listen - the sockets of the control port (docs/spec/logger.md A7): the first free port
 * for IPv4 and IPv6 alike, and a Unix socket.
 *
 * Loopback addresses alone, unless PMLOGGER_LOCAL=0.
 */
#ifndef PMLOGGER_CONTROL_LISTEN_H
#define PMLOGGER_CONTROL_LISTEN_H

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

#endif
