/*
 * collector - a whole pmcd in this process, for targets that talk to it.
 *
 * The server, its loop and its built-in agent are pmcd's own. Socket pairs replace accepted
 * connections, and the target's end of a socket, to which the server is configured to connect,
 * replaces an agent's process. Time does not pass for the targets: a turn of the loop never waits.
 *
 * Checked for all targets: the server sends only PDUs that the receiver may get, and after all
 * connections are closed nothing is left: no client, no request, no call to an agent.
 */
#ifndef FUZZ_COLLECTOR_H
#define FUZZ_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemons/pmcd/server.h"
#include "libbase/buffer.h"

enum {
	COLLECTOR_DOMAIN = 240,       /* the domain of the target's agent */
	COLLECTOR_TURNS_MAX = 100000, /* more turns for one input mean an endless loop */
};

/* The target's end of a connection with the server. */
struct collector_end {
	int fd;            /* -1: closed by either side */
	struct buffer in;  /* received bytes that were not taken yet */
	unsigned int role; /* PDU_TO_CLIENT or PDU_TO_AGENT: allowed from the server */
};

struct collector {
	struct server server;
	struct collector_end client;
	struct collector_end agent;
	unsigned int turns;
};

/* Starts a server that is ready, with a client's connection, and an agent's that has sent nothing
 * yet. */
void collector_start(struct collector *c);

/* Runs one turn of the loop, and reads the received bytes. Returns true if anything happened. */
bool collector_turn(struct collector *c);

/* Sends all bytes, with as many turns of the loop as this needs; stops when the end is closed.
 */
void collector_send(struct collector *c, struct collector_end *end, const void *bytes, size_t len);

/* Appends to out a PDU with a valid header: the first byte selects its type, the second its length
 * in words, and its body is the rest, as far as it exists. Returns the number of used bytes. */
size_t collector_frame(const uint8_t *bytes, size_t len, struct buffer *out);

/* Takes the next complete PDU, decoded once; returns its length, or 0 if there is none. It is
 * borrowed until the next call with this end. */
size_t collector_receive(struct collector_end *end, const uint8_t **ret_pdu);

/* Closes the target's end. */
void collector_hang_up(struct collector_end *end);

/* Closes both ends, checks that nothing is left, and ends the server. */
void collector_stop(struct collector *c);

#endif
