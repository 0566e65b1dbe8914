/*
 * server - the collector: joins the loop, the listeners, the clients and the agents.
 *
 * A turn of the loop: the queue of clients with more to be served, then the events of the
 * descriptors (clients, agents, signals, connections), and after each of the two the deferred work:
 * one write for each agent that was asked, a reconfiguration, the end. Nothing in a turn waits for
 * a peer; docs/pmcd-internals.md describes how the promise is kept.
 */
#ifndef PMCD_SERVER_H
#define PMCD_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/config.h"
#include "daemons/pmcd/labels.h"
#include "daemons/pmcd/listener.h"
#include "daemons/pmcd/loop.h"
#include "daemons/pmcd/names.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/rights.h"
#include "daemons/pmcd/trace.h"
#include "libwire/pdu.h"

struct background;
struct client;
struct options;

enum {
	COUNTS_PDU_TYPES = PDU_LAST - PDU_FIRST + 1,
};

/* Counts of the collector about itself: the source of the metrics pmcd.pdu_* and others
 * (docs/spec/pmcd.md 11). */
struct counts {
	uint64_t pdu_in[COUNTS_PDU_TYPES];
	uint64_t pdu_out[COUNTS_PDU_TYPES];
	uint64_t pdu_in_total;
	uint64_t requests; /* PDUs of clients, but for their introduction */
	uint32_t sighups;
	uint32_t seqnum; /* starts of agents */
	int highest_fd;
};

/* A PDU of this type was received. */
static inline void counts_received(struct counts *n, uint32_t type)
{
	if (type - PDU_FIRST >= COUNTS_PDU_TYPES)
		return;
	n->pdu_in[type - PDU_FIRST]++;
	n->pdu_in_total++;
}

/* A PDU of this type is on its way. */
static inline void counts_sent(struct counts *n, uint32_t type)
{
	if (type - PDU_FIRST < COUNTS_PDU_TYPES)
		n->pdu_out[type - PDU_FIRST]++;
}

/* A descriptor was opened. */
static inline void counts_fd(struct counts *n, int fd)
{
	if (fd > n->highest_fd)
		n->highest_fd = fd;
}

struct server {
	const struct options *options;
	struct loop loop;
	struct timespec start_time; /* by the clock on the wall */
	uint64_t start_ms;          /* since boot, suspended or not */
	struct listeners listeners;
	struct clients clients;
	struct profile_pool profiles;
	struct request_pool requests;

	struct rights rights;
	struct config config;
	struct timespec config_time, access_time; /* of the files that it came from */
	struct access *access;
	struct agents agents;
	struct names *names; /* NULL: none */
	bool names_pending;  /* no memory for those of new agents: to be loaded the next time */
	bool names_busy;     /* a thread looks at the files */
	unsigned int names_again;                  /* enum names_reload bits of the next time */
	void (*names_over)(struct server *server); /* see NAMES_REPORT */
	struct labels labels;

	struct counts counts;
	uint32_t timeout_s;  /* 0: never */
	uint64_t silence_ms; /* an agent that owes an answer and sends nothing for so long is ended;
				0: never */
	uint64_t
	    serve_at_ms;    /* clients wait until then, or until all agents have started; 0: over */
	bool serving_local; /* the Unix socket is open for business */
	struct trace trace;
	bool reconfigure;               /* asked for */
	bool reconfiguring;             /* and under way: the next has to wait */
	struct background *reading_job; /* reads a configuration; or NULL */
	bool stopping;
};

/* An empty server with its loop. 0 or -errno. */
int server_init(struct server *server, const struct options *options);

/* Opens the sockets of the options (listeners_open). */
int server_listen(struct server *server);

/* Runs until a signal ends it. */
void server_run(struct server *server);

/* Closes all and frees all; agents get a moment to go. */
void server_done(struct server *server);

/* True if clients wait to be served. */
static inline bool server_has_work(const struct server *server)
{
	return !fair_is_idle(&server->clients.fair[HEAVY_NO]) ||
	       !fair_is_idle(&server->clients.fair[HEAVY_YES]);
}

/* True if a client that is ready is served at once: no other that comes first waits, and this turn
 * has time left. */
static inline bool server_has_time(const struct server *server, enum heavy_class heavy)
{
	return server->loop.spent_ns < LOOP_TURN_NS &&
	       fair_is_idle(&server->clients.fair[HEAVY_NO]) &&
	       (heavy == HEAVY_NO || fair_is_idle(&server->clients.fair[HEAVY_YES]));
}

/* The time-out of PDUs and answers in ms; 0: never. */
static inline uint64_t server_timeout_ms(const struct server *server)
{
	return (uint64_t)server->timeout_s * 1000;
}

/* The configured agent of a domain; NULL if there is none. */
static inline struct agent *server_agent(const struct server *server, unsigned int domain)
{
	return domain < AGENTS_DOMAINS ? server->agents.by_domain[domain] : NULL;
}

/* A PDU has come through this descriptor; code is that of an ERROR, else 0. */
static inline void server_received(struct server *server, int fd, uint32_t type, int code)
{
	trace_pdu(&server->trace, TRACE_RECV, fd, type, code);
	counts_received(&server->counts, type);
}

/* A PDU is on its way through this descriptor. */
static inline void server_sent(struct server *server, int fd, uint32_t type, int code)
{
	trace_pdu(&server->trace, TRACE_XMIT, fd, type, code);
	counts_sent(&server->counts, type);
}

#endif
