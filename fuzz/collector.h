/*
 * collector - a whole pmcd in this process, for targets that talk to it.
 *
 * The server, its loop and its built-in agent are pmcd's own. In place of accepted connections
 * there are socket pairs, in place of an agent's process there is our end of a socket that the
 * server was configured to connect to. Time stands still for the targets: a turn of the loop never
 * waits.
 *
 * Checked for all targets: what the server sends is a PDU that its receiver may get, and when
 * everybody has gone nothing is left: no client, no request, no question to an agent.
 */
#ifndef FUZZ_COLLECTOR_H
#define FUZZ_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemons/pmcd/server.h"
#include "libbase/buffer.h"

enum {
	COLLECTOR_DOMAIN = 240,       /* of the agent that is ours */
	COLLECTOR_TURNS_MAX = 100000, /* more for one input is a loop that does not end */
};

/* Our end of a connection with the server. */
struct collector_end {
	int fd;            /* -1: closed by either side */
	struct buffer in;  /* what has come and was not taken */
	unsigned int role; /* PDU_TO_CLIENT or PDU_TO_AGENT: what the server may send here */
};

struct collector {
	struct server server;
	struct collector_end client;
	struct collector_end agent;
	unsigned int turns;
};

/* A server that is ready, with a client's connection, and an agent's that has not spoken yet. */
void collector_start(struct collector *c);

/* One turn of the loop, and what has come is read. True if anything happened. */
bool collector_turn(struct collector *c);

/* Sends what the socket takes at once, turning as often as it takes; stops when the end is closed.
 */
void collector_send(struct collector *c, struct collector_end *end, const void *bytes, size_t len);

/* Appends a PDU whose header is right to out: its type by the first byte, its length in words by
 * the second, its body from the rest, as far as there is one. Returns how many bytes it was made
 * of. */
size_t collector_frame(const uint8_t *bytes, size_t len, struct buffer *out);

/* The next whole PDU that has come, decoded once; its length, or 0 for none. Borrowed until the
 * next call with this end. */
size_t collector_receive(struct collector_end *end, const uint8_t **ret_pdu);

/* We close our end. */
void collector_hang_up(struct collector_end *end);

/* Both ends are closed, nothing is left, and the server ends. */
void collector_stop(struct collector *c);

#endif
