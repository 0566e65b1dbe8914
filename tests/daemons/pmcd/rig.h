/*
 * rig - a collector in the test's process, with a clock that the test sets, and its peers.
 *
 * The collector is the whole daemon but for main: it is configured by a file, and reaches its
 * agents by Unix sockets. The test plays the agents and the clients: each is the other end of a
 * socket. The loop runs only in calls of the rig, and its time advances only in rig_pass, so no
 * test waits for a time-out. A failure ends the test (cmocka's assertions).
 */
#ifndef TESTS_PMCD_RIG_H
#define TESTS_PMCD_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

enum {
	RIG_AGENTS_MAX = 4,
	RIG_TIMEOUT_MS = 5000, /* of an answer, and of the rest of a PDU */
	RIG_SILENCE_MS = 60000,
	RIG_CREDS_MS = 3000, /* of an agent's handshake */
};

/* The other end of a connection of the collector. */
struct peer {
	int listener; /* of an agent; -1: none */
	int fd;
	unsigned int domain; /* of an agent */
	bool closed;         /* the collector has closed the connection */
	struct buffer in;
	struct arena mem; /* of the last PDU */
};

/* A PDU that a peer has received. It is valid until the next one. */
struct peer_pdu {
	uint32_t type;
	int32_t from;
	int code; /* of an ERROR, as it is on the wire */
	uint8_t *bytes;
	uint32_t len;
	union pdu_body body;
};

/* The clock that the collector sees. */
struct rig_clock {
	uint64_t mono_ns;
	uint64_t idle_ns;
	uint64_t step_ns; /* mono_ns advances by this when the collector measures its work */
};

extern struct server rig_server;
extern struct rig_clock rig_clock;

/*
 * The collector, with its own agent (domain 2) and n others with these domains, each at a Unix
 * socket. The agents listen unless late. rig_stop ends all.
 */
void rig_start(struct peer *agents, unsigned int n, const unsigned int *domains, bool late);
void rig_stop(void);

/* One turn of the loop. */
void rig_turn_once(void);

/* Some turns, in which every event is handled that is there. */
void rig_turn(void);

/* Time passes, in steps of a tick; deadlines are looked at. */
void rig_pass(uint64_t ms);

static inline struct agent *rig_agent(const struct peer *p)
{
	return server_agent(&rig_server, p->domain);
}

/*
 * Agents
 */

/* Begins to listen. */
void rig_listen(struct peer *p);

/* Accepts the connection of the collector. */
void rig_accept(struct peer *p);

/* The handshake, with these features (PDU_FEATURE_AUTH: it wants attributes). */
void rig_hello(struct peer *p, unsigned int features);

/* rig_start, rig_accept and rig_hello: all agents are ready. */
void rig_start_ready(struct peer *agents, unsigned int n, const unsigned int *domains);

/* Answers a fetch by one value for each metric: first, first + 1, and so on. changes is the mask of
 * changes of state. */
void rig_give(struct peer *p, const struct pdu_fetch *ask, uint32_t first, unsigned int changes);

/* Receives a FETCH and answers it as rig_give. A PROFILE before it is skipped. */
void rig_serve_fetch(struct peer *p, uint32_t first);

/*
 * Clients
 */

/* A connection that has had the challenge. */
void rig_connect(struct peer *p);

/* The same, introduced, with a profile in slot 0 that has everything. */
void rig_join(struct peer *p);

/* The collector's end of the newest connection. */
struct client *rig_newest_client(void);

/*
 * Any peer
 */

/* Sends bytes. */
void peer_send_bytes(struct peer *p, const void *bytes, size_t len);

/* Sends a PDU, and lets the collector handle it. */
void peer_send(struct peer *p, enum pdu_type type, int32_t from, const union pdu_body *body);
void peer_send_error(struct peer *p, int code);
void peer_send_fetch(struct peer *p, const pmID *pmids, uint32_t n);
void peer_send_desc_req(struct peer *p, pmID pmid);

/* The next PDU; fails the test if there is none. */
void peer_receive(struct peer *p, struct peer_pdu *ret_pdu);

/* The next PDU must be of this type. */
void peer_expect(struct peer *p, enum pdu_type type, struct peer_pdu *ret_pdu);
void peer_expect_error(struct peer *p, int code);

/* The number of PDUs that have come and were not received: after the collector has handled
 * everything, or up to now. */
unsigned int peer_count(struct peer *p);
unsigned int peer_count_now(struct peer *p);

/* Receives n PDUs, and drops them. */
void peer_skip(struct peer *p, unsigned int n);

/* Nothing has come and the connection is open. */
bool peer_is_quiet(struct peer *p);

/* True if the collector has closed the connection; what it sent before is dropped. */
bool peer_is_closed(struct peer *p);

void peer_close(struct peer *p);

#endif
