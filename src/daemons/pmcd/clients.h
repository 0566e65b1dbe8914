/*
 * clients - the clients by their index: the lowest free one, because agents know clients by it.
 */
#ifndef PMCD_CLIENTS_H
#define PMCD_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemons/pmcd/fair.h"
#include "daemons/pmcd/heavy.h"
#include "libbase/buffer.h"
#include "libbase/list.h"

struct client;
struct server;

enum {
	CLIENTS_SCRATCH_KEEP = 256 << 10, /* bytes of an empty scratch buffer */
};

/* Call-backs to what is above a client. */
struct clients_ops {
	/* The client goes: agents forget it, and its descriptor is free soon. */
	void (*gone)(struct client *c);
	/* Its request is over: the reply is sent, and what has come meanwhile is served in the next turn. */
	void (*request_over)(struct client *c);
};

/* All clients of the collector. */
struct clients {
	const struct clients_ops *ops;
	struct client **all; /* by index; NULL: free */
	unsigned int nslot, count, free_hint;
	uint32_t next_seq;
	struct list greeting; /* those that have not introduced themselves, longest waiting first */
	struct list partial; /* those with a part of a PDU, longest waiting first */
	struct list stalled; /* those that do not take their replies, longest waiting first */
	struct fair fair[HEAVY_CLASSES]; /* those to be served, and in which order */
	struct buffer scratch; /* replies of the client that is being served */
	struct client *scratch_owner;
	struct client *serving; /* in client_work: its replies are sent at the end of it */
};

/* Begins with none; ops live as long. clients_done frees the tables. */
void clients_init(struct clients *all, const struct clients_ops *ops);
void clients_done(struct clients *all);

/* Gives a client its index and its number: 0, -ENOMEM. Takes it out. */
int clients_add(struct server *server, struct client *c);
void clients_remove(struct server *server, struct client *c);

/*
 * The connection that makes room for a newcomer when descriptors are short. First comes the one that has been silent
 * since it was accepted for the longest time, unless its user has fewer connections than the newcomer's user. Then
 * comes, of the user with the most connections, the one that has not been served for the longest time, if that user
 * has more connections than the newcomer's user; else, among processes of the newcomer's user, likewise. NULL: none,
 * the newcomer has its share. A user is a user id (Unix socket) or an address (whose processes are unknown). newcomer NULL: one that could not be accepted; only a silent connection is returned.
 * *ret_soon: there will be one soon, which may still introduce itself.
 */
struct client *clients_spare(struct server *server, const struct client *newcomer, bool *ret_soon);

/* Sets a bit of state changes for every client. */
void clients_change_all(struct server *server, unsigned int mask);

#endif
