/*
 * client - one connection of a client that wants values (docs/spec/pdu.md 8, pmcd.md 9).
 *
 *      GREETED --CREDS--> [CONTAINER --ATTR-->] SERVED --> CLOSED
 *
 * One request is served at a time, in the order of arrival. Requests that a client sends ahead are
 * read only up to a small budget, and nothing more is served while it does not take its replies, so
 * a client costs at most one reply and one budget of memory. A PDU must be whole within the
 * time-out after its first byte; a client that takes nothing of its replies for a long time is cut
 * off.
 */
#ifndef PMCD_CLIENT_H
#define PMCD_CLIENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <uv.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/fair.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/profile.h"
#include "libbase/buffer.h"
#include "libbase/list.h"

struct agent;
struct request;
struct server;

enum client_state {
	CLIENT_GREETED,
	CLIENT_CONTAINER,
	CLIENT_SERVED,
	CLIENT_CLOSED,
};

enum {
	CLIENT_TURN_PDUS = 16,        /* served for one client before the others get their turn */
	CLIENT_TURN_NS = 1000000,     /* and not for longer, so far as one request is shorter */
	CLIENT_READ_MAX = 65536,      /* bytes in one read */
	CLIENT_BACKLOG_PAUSE = 65536, /* with more bytes of replies not taken nothing is served */
	CLIENT_SILENT_MS =
	    200, /* a client may be silent for so long even if descriptors are short */
	CLIENT_STALL_MS = 60000, /* a client that takes nothing for so long is cut off */
	CLIENT_CHANGES = 0x3f,   /* bits of a change of state that is reported to clients */
	CLIENT_TEXT_MAX = 4094,  /* bytes of a container's name, of a self-description: with its
				    NUL an attribute that agents take */
};

union client_addr {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct client {
	uv_poll_t poll;
	struct server *server;
	int fd;
	unsigned int index; /* lowest free one: what agents know the client by */
	uint32_t seq;       /* never used again: the instance of pmcd.client.* */
	enum client_state state;
	int events; /* what poll watches for */
	bool ended; /* it has closed its direction: what it asked before is still answered */
	struct inbox in;
	struct buffer out;    /* replies not taken yet; empty most of the time */
	struct list greeting; /* in server->clients.greeting until it has introduced itself */
	uint64_t greeted_ms;
	uint64_t served_ms;  /* when its last request began */
	struct list waiting; /* in server->clients.partial or server->clients.stalled, or nowhere */
	uint64_t waiting_ms; /* since when */
	struct fair_member
	    turns[HEAVY_CLASSES]; /* when it is served; it waits in one class at most */
	uint32_t cost_ns;         /* of its last requests, on average: of the collector's time */
	uint32_t agent_ns;        /* the same, of the time of agents that are processes */
	struct request *request;
	bool heavy;        /* the request that is served is expected to take long (heavy.h) */
	uint64_t heavy_ns; /* since when; 0: none is under way */
	struct profile_slots profiles;
	union client_addr peer;
	bool host_entered, account_entered;
	struct access_account account;
	pid_t pid;            /* of a local client; 0 unknown */
	unsigned int denied;  /* enum config_op bits */
	unsigned int changes; /* state changes that were not reported yet (docs/spec/pdu.md 13) */
	bool attributes_changed;
	uint64_t used_agents; /* bit (index & 63) of each agent that knows of this client */
	char *container;      /* or NULL */
	char *whoami;
	time_t start;
	uint64_t cpu_us, pdus_in; /* at its last fetch of pmcd.cputime.per_pdu_in */
};

enum {
	CLIENTS_SCRATCH_KEEP = 256 << 10, /* bytes of an empty scratch buffer */
};

/* Call-backs to what is above a client. */
struct clients_ops {
	/* The client is closed: agents forget it, and its descriptor is free soon. */
	void (*gone)(struct client *c);
	/* Its request is over: the reply is sent, and what has come meanwhile is served in the next
	 * turn. */
	void (*request_over)(struct client *c);
};

/* All clients of the collector. */
struct clients {
	const struct clients_ops *ops;
	struct client **all; /* by index; NULL: free */
	unsigned int nslot, count, free_hint;
	uint32_t next_seq;
	struct list greeting; /* those that have not introduced themselves, longest waiting first */
	struct list partial;  /* those with a part of a PDU, longest waiting first */
	struct list stalled;  /* those that do not take their replies, longest waiting first */
	struct fair fair[HEAVY_CLASSES]; /* those to be served, and in which order */
	struct buffer scratch;           /* replies of the client that is being served */
	struct client *scratch_owner;
	struct client *serving; /* in client_work: its replies are sent at the end of it */
};

/*
 * One connection (client.c)
 */

/* Closes at once; the struct lives until the loop's next turn. May be called again. */
void client_close(struct client *c);

/* Puts a client among those that wait for something, newest last. */
void client_wait(struct client *c, struct list *where);

/* Adds a request that took ns to an average in which the newest request counts for a quarter. */
void client_learn(uint32_t *average_ns, uint64_t ns);

/* Leaves the queues of those that wait for a turn. */
void client_leave_queues(struct client *c);

/* The client has introduced itself. */
void client_introduced(struct client *c);

/* True for root and the user that the collector runs as, according to the socket. */
bool client_is_trusted(const struct client *c);

/* "unix:", or the address; for log and whoami. Returns buf. */
char *client_peer_name(const struct client *c, char *buf, size_t size);

/* Where replies go: until client_flush they are only collected. */
struct buffer *client_out(struct client *c);
void client_flush(struct client *c);

/* An ERROR to the client. */
void client_error(struct client *c, int code);

/*
 * All clients by their index, the lowest free one, because agents know clients by it (client.c)
 */

/* An empty table; ops must live as long. clients_done frees it. */
void clients_init(struct clients *all, const struct clients_ops *ops);
void clients_done(struct clients *all);

/* Gives a client its index and its number: 0 or -ENOMEM. clients_remove frees the index. */
int clients_add(struct server *server, struct client *c);
void clients_remove(struct server *server, struct client *c);

/*
 * The connection that makes room for a newcomer when descriptors are short. First comes the one
 * that has been silent since it was accepted for the longest time, unless its user has fewer
 * connections than the newcomer's user. Then comes, of the user with the most connections, the one
 * that has not been served for the longest time, if that user has more connections than the
 * newcomer's user; else, among processes of the newcomer's user, likewise. NULL: none, the newcomer
 * has its share. A user is a user id (Unix socket) or an address (whose processes are unknown).
 * newcomer NULL: one that could not be accepted; only a silent connection is returned. *ret_soon:
 * there will be one soon, which may still introduce itself.
 */
struct client *clients_spare(struct server *server, const struct client *newcomer, bool *ret_soon);

/* Sets bits of state changes (docs/spec/pdu.md 13) for every client. */
void clients_change_all(struct server *server, unsigned int mask);

/* Logs the table of clients. */
void clients_log(struct server *server);

/*
 * Serving (client_turn.c)
 */

/* Serves what has arrived; for the server's turn. */
void client_work(struct client *c);

/* The client is served in one of the next turns, when fair.h has it as the first, if it has a whole
 * request. */
void client_run_later(struct client *c);

/* Reads and writes are watched for as far as they have a use now. Closes a client that has ended
 * and has all replies. */
void client_rewatch(struct client *c);

/* Lets one held client of each agent that is not busy go on. For every turn. */
void client_release_some(struct server *server);

/* Lets all clients that are held for an agent go on, before the agent is freed. */
void client_release_all(struct agent *a);

/* The request is over: send the reply, and serve what came meanwhile in the next turn. */
void client_request_over(struct client *c);

/* Closes clients that are late with the introduction or the rest of a PDU, or do not read. True if
 * any is to be watched. */
bool client_tick_all(struct server *server, uint64_t now_ms);

/*
 * From a connection to a client (client_accept.c)
 */

/* Takes over a connected, non-blocking descriptor and greets. Refusals are sent, then closed. False
 * if no more can be accepted for now: descriptors are short, and connections that may be closed
 * soon had no time to introduce themselves yet. */
bool client_accept(struct server *server, int fd, const struct sockaddr *peer);

/* Descriptors are short: closes a connection for one that could not be accepted (clients_spare).
 * False if none may be closed now. */
bool client_make_room(struct server *server);

#endif
