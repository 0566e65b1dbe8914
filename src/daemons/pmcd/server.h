/*
 * server - the collector: one loop, and everything that hangs off it.
 *
 * A turn of the loop: the run queue (clients with more to be served), then what the descriptors
 * bring (clients, agents, signals, connections), and after each of the two what was put off: one
 * write per agent that was asked, a reconfiguration, the end. Nothing in a turn waits for
 * anybody; docs/pmcd-internals.md says how the promise is kept.
 */
#ifndef PMCD_SERVER_H
#define PMCD_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/config.h"
#include "daemons/pmcd/fair.h"
#include "daemons/pmcd/heavy.h"
#include "daemons/pmcd/labels.h"
#include "daemons/pmcd/listener.h"
#include "daemons/pmcd/loop.h"
#include "daemons/pmcd/names.h"
#include "daemons/pmcd/profile.h"
#include "daemons/pmcd/rights.h"
#include "daemons/pmcd/child.h"
#include "daemons/pmcd/trace.h"
#include "libbase/buffer.h"
#include "libbase/list.h"
#include "libwire/pdu.h"

struct agent;
struct background;
struct client;
struct options;

enum {
	SERVER_DOMAINS = 512,
	SERVER_SCRATCH_KEEP = 256 << 10,
	SERVER_SPARE_REQUESTS = 64, /* kept for the next ones */
	SERVER_SPARE_LARGE = 4,     /* of these, so many with more memory than SERVER_SPARE_KEEP */
	SERVER_SPARE_KEEP = 16 << 10,
	SERVER_PDU_TYPES = PDU_LAST - PDU_FIRST + 1,
};

/* The source of metrics about the collector itself. */
struct counts {
	uint64_t pdu_in[SERVER_PDU_TYPES];
	uint64_t pdu_out[SERVER_PDU_TYPES];
	uint64_t pdu_in_total;
	uint64_t requests; /* PDUs of clients, but for their introduction */
	uint32_t sighups;
	uint32_t seqnum; /* starts of agents */
	int highest_fd;
};

struct server {
	const struct options *options;
	struct loop loop;
	struct timespec start_time; /* by the clock on the wall */
	uint64_t start_ms;          /* since boot, suspended or not */
	struct fair fair[HEAVY_CLASSES]; /* clients to be served, and in which order */
	struct list dirty;   /* channels with bytes to be written at the end of the turn */
	struct buffer scratch; /* replies of the client that is being served */
	struct client *scratch_owner;
	struct client *serving; /* in client_work: its replies are sent at the end of it */

	struct listeners listeners;
	struct client **clients; /* by index; NULL: free */
	unsigned int nslot, nclient, free_hint;
	uint32_t next_seq;
	struct list greeting; /* clients that have not introduced themselves, longest waiting first */
	struct list partial; /* clients with a part of a PDU, longest waiting first */
	struct list stalled; /* clients that do not take their replies, longest waiting first */
	struct profile_pool profiles;
	struct list spare_requests;
	unsigned int nspare;

	struct rights rights;
	struct config config;
	struct timespec config_time, access_time; /* of the files that it came from */
	struct access *access;
	struct agent **agents; /* in the order of the configuration */
	unsigned int nagent;
	struct agent *by_domain[SERVER_DOMAINS];
	struct leavers leavers;
	struct list parked;  /* agents in this process that are not configured any more */
	struct names *names; /* NULL: none */
	bool names_owed;     /* no memory for those of new agents: to be loaded the next time */
	bool names_busy;     /* a thread looks at the files */
	unsigned int names_again; /* enum names_reload bits of the next time */
	struct labels labels;

	struct counts counts;
	uint32_t timeout_s; /* 0: never */
	uint64_t
	    silence_ms; /* an agent that owes and says nothing for so long is ended; 0: never */
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

/* Runs until a signal ends it. */
void server_run(struct server *server);

/* Closes all and frees all; agents get a moment to go. */
void server_done(struct server *server);

/* The client is served in one of the next turns, when fair.h has it as the first, if it has a whole request. */
void server_run_later(struct server *server, struct client *c);

/* True if clients wait to be served. */
static inline bool server_has_work(const struct server *server)
{
	return !fair_is_idle(&server->fair[HEAVY_NO]) || !fair_is_idle(&server->fair[HEAVY_YES]);
}

/* True if a client that is ready is served at once: no other that comes first waits, and this turn has time left. */
static inline bool server_has_time(const struct server *server, enum heavy_class heavy)
{
	return server->loop.spent_ns < LOOP_TURN_NS && fair_is_idle(&server->fair[HEAVY_NO]) &&
	       (heavy == HEAVY_NO || fair_is_idle(&server->fair[HEAVY_YES]));
}

/* The time-out of PDUs and answers in ms; 0: never. */
static inline uint64_t server_timeout_ms(const struct server *server)
{
	return (uint64_t)server->timeout_s * 1000;
}

/* The configured agent of a domain; NULL if there is none. */
static inline struct agent *server_agent(const struct server *server, unsigned int domain)
{
	return domain < SERVER_DOMAINS ? server->by_domain[domain] : NULL;
}

/* A PDU has come through this descriptor; code is that of an ERROR, else 0. */
static inline void server_received(struct server *server, int fd, uint32_t type, int code)
{
	trace_pdu(&server->trace, TRACE_RECV, fd, type, code);
	if (type - PDU_FIRST < SERVER_PDU_TYPES) {
		server->counts.pdu_in[type - PDU_FIRST]++;
		server->counts.pdu_in_total++;
	}
}

/* A PDU is on its way through this descriptor. */
static inline void server_sent(struct server *server, int fd, uint32_t type, int code)
{
	trace_pdu(&server->trace, TRACE_XMIT, fd, type, code);
	if (type - PDU_FIRST < SERVER_PDU_TYPES)
		server->counts.pdu_out[type - PDU_FIRST]++;
}

/* A descriptor was opened. */
static inline void server_note_fd(struct server *server, int fd)
{
	if (fd > server->counts.highest_fd)
		server->counts.highest_fd = fd;
}

#endif
