/*
 * agent - a provider of the metrics of a domain, and how it is asked (docs/spec/pmcd.md 8, 9).
 *
 * The collector asks without waiting: agent_ask either answers at once (an agent in this process)
 * or queues a call, and each call is answered exactly once: by the agent, by its deadline, or by
 * the agent's end. A process answers in the order in which it was asked, so a call whose deadline
 * has passed keeps its place until the late answer has come and was dropped; meanwhile the agent
 * owes, and requests to it are answered with PM_ERR_AGAIN at once.
 *
 *      DOWN --start--> STARTING --handshake--> READY <--> NOTREADY
 *        ^----------------- agent_fail --------------------'
 *
 * A kind of agent is a row of functions: agent_process.c, agent_dso.c, builtin.c.
 */
#ifndef PMCD_AGENT_H
#define PMCD_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemons/pmcd/child.h"
#include "daemons/pmcd/config.h"
#include "libbase/buffer.h"
#include "libbase/heap.h"
#include "libbase/list.h"
#include "libwire/pdu.h"

struct agent;
struct client;
struct profile;
struct request;
struct result_sink;
struct server;

enum {
	AGENTS_DOMAINS = 512,
};

/* All agents of the collector. */
struct agents {
	struct agent **all; /* in the order of the configuration */
	unsigned int count;
	struct agent *by_domain[AGENTS_DOMAINS];
	struct endings endings;
	struct list parked; /* agents in this process that are not configured any more */
	struct list dirty;  /* channels with bytes to be written at the end of the turn */
	/* Called when an agent that was not ready has become ready. */
	void (*ready)(struct server *server);
};

enum agent_state {
	AGENT_DOWN,
	AGENT_STARTING,
	AGENT_NOTREADY,
	AGENT_READY,
};

/* The low byte of metric pmcd.agent.status while an agent is down (docs/spec/pmcd.md 8.3). */
enum agent_end {
	AGENT_END_NONE = 0,
	AGENT_END_EXITED = 2,
	AGENT_END_NOSTART = 4,
	AGENT_END_PROTOCOL = 8,
};

/* Messages about an agent that are logged once a minute at most. */
enum agent_log {
	AGENT_LOG_NOTREADY,
	AGENT_LOG_READY,
	AGENT_LOG_LATE,
	AGENT_LOGS,
};

struct answer;

/* One question on its way. An agent with a queue owns a copy in it. */
struct call {
	struct list node;
	struct request *request; /* NULL: answered for, the agent's answer will be dropped */
	unsigned int part;       /* which of the request's questions this is */
	/* Takes the answer, for the request. */
	void (*answered)(struct request *req, unsigned int part, const struct answer *answer);
	uint32_t want; /* the type of a good answer */
	uint64_t sent_ms;
	uint64_t sent_idle_ns; /* how long the loop had been idle then */
	bool heavy;            /* of a heavy request that waits for it; counted in the agent */
};

/* The result of a call. */
struct answer {
	int status; /* < 0: an error code, and nothing else has a meaning */
	uint32_t type;
	const uint8_t *bytes; /* the PDU; NULL from an agent in this process */
	union pdu_body body;  /* borrows from bytes and the request's arena */
};

/* A question: the body in every case, and the client's own PDU where it can be passed on as is. */
struct question {
	enum pdu_type type;
	const union pdu_body *body;
	const uint8_t *bytes; /* or NULL */
	uint32_t len;
	uint32_t want;
};

/* A fetch from an agent in this process. */
struct fetch_ask {
	unsigned int n;
	const pmID *pmids;
};

struct agent_ops {
	const char *kind;  /* in the log's table */
	bool own;          /* the collector's own agent: it cannot be fenced */
	unsigned int type; /* value of pmcd.agent.type */
	/* Begins to start; the end of it is agent_up or agent_fail. 0, or an error: no agent. */
	int (*start)(struct agent *a);
	/* Lets go of everything, without any answer to calls. */
	void (*stop)(struct agent *a);
	/* Asks, or answers at once (call_answer). 0 or an error (nothing was asked). */
	int (*ask)(struct agent *a, const struct call *call, const struct question *q);
	/* Sends a PDU that has no answer: PROFILE, ATTR, ERROR(NOTCONN). 0, or -ENOMEM: it was not
	 * sent.
	 */
	int (*notify)(struct agent *a, unsigned int ctx, enum pdu_type type,
		      const union pdu_body *body);
	/* Bytes that it has not taken yet. NULL: nothing ever waits. Not while it is down. */
	size_t (*backlog)(const struct agent *a);
	/*
	 * Agents in this process alone: values at once. 1: they were written to the sink (which may
	 * be NULL), one set a PMID, in order; 0: they are in *ret_result, to be given back by
	 * fetch_done, and nothing was written; or an error: the sink's owner takes the answer back.
	 * *ret_changes is the mask of state changes (docs/spec/pdu.md 10.4).
	 */
	int (*fetch)(struct agent *a, struct request *req, const struct fetch_ask *ask,
		     struct result_sink *sink, pmResult **ret_result, unsigned char *ret_changes);
	void (*fetch_done)(struct agent *a, pmResult *result);
	/* Its process has ended; what it wrote before may still be read. NULL: of no interest. */
	void (*exited)(struct agent *a);
	/* The rest of this agent's line in the log's table. */
	void (*describe)(const struct agent *a, struct buffer *out);
	/* Ten times a second while anything is pending. Returns true if it wants the next one. */
	bool (*tick)(struct agent *a, uint64_t now_ms);
};

/*
 * notices - changes of clients that were not sent to an agent yet because it does not read.
 *
 * The end of a client and its attributes are states, not messages: sent late they need sending
 * once, however often they have changed meanwhile. So an agent that does not read costs a byte for
 * each client, and not a PDU for each change.
 */
enum notices_of {
	NOTICES_GONE = 1u << 0,       /* the client that had this index has left; sent first */
	NOTICES_ATTRIBUTES = 1u << 1, /* the client with this index has other attributes */
};

/* A zeroed struct is valid and empty. */
struct notices {
	unsigned char *of; /* by index of the client: enum notices_of bits */
	unsigned int size;
	unsigned int count; /* indexes with any bit */
};

struct agent {
	const struct agent_ops *ops;
	struct server *server;
	const struct config_agent *config; /* lives in the server's configuration */
	enum agent_state state;
	bool fenced;
	bool attributes; /* wants those of the clients */
	int status;      /* of the last end: agent_end | exit status << 8 | signal << 16 */
	pid_t pid;       /* 0: none, or reaped */
	bool exited;     /* reaped, with this status: */
	int wait_status;
	struct profile *profile; /* held: the last one that was sent; NULL: none */
	struct list calls;       /* oldest first */
	unsigned int ncall;
	unsigned int nlate;        /* of these, answered for */
	unsigned int nheavy;       /* of these, of heavy requests that wait (heavy.h) */
	struct heap held;          /* clients whose next request would be heavy too */
	uint64_t answered_idle_ns; /* how long the loop had been idle at the last answer */
	uint64_t started_ms;
	uint64_t received_ms;           /* when the last byte came */
	struct notices notices;         /* of clients, that were not sent yet */
	uint64_t logged_ms[AGENT_LOGS]; /* when it was last logged; 0: never */
	bool foreign_logged;            /* a wrong domain in its answers was logged */
	uint64_t restart_ms;            /* when the last automatic restart was tried; 0: never */
	bool wants_restart;
	struct agent_record record;
	unsigned int index; /* bit (index & 63) in clients' used_agents */
	void *impl;         /* of the kind */
};

enum {
	AGENT_CALLS_MAX = 65536,
	AGENT_BACKLOG_MAX = 4 << 20,  /* bytes queued for an agent that does not read */
	AGENT_NOTICES_MAX = 64 << 10, /* with more of them it is informed of clients later */
	AGENT_PDU_MAX = 32 << 20,     /* bytes of one answer */
	AGENT_LOG_MS = 60000,         /* between two log lines of one kind about an agent */
};

/* A new agent for a configuration line, down. NULL: out of memory. */
struct agent *agent_new(struct server *server, const struct config_agent *config,
			const struct agent_ops *ops);
void agent_free(struct agent *a);

/* Begins to start an agent that is down; a failure is logged and seen in its status. */
void agent_start(struct agent *a);

/* For the kinds: the handshake is done. notready: it reports when it is. */
void agent_up(struct agent *a, bool notready);

/* For the kinds: change between READY and NOTREADY. */
void agent_ready(struct agent *a, bool ready);

/*
 * The end of an agent that is not down: every call is answered with code, clients learn of it, and
 * the log (what: "terminated", "unconfigured", ...) too.
 */
void agent_fail(struct agent *a, enum agent_end end, int code, const char *what);

/* Why it can't be asked now: 0, PM_ERR_NOAGENT, PM_ERR_PMDAFENCED or PM_ERR_AGAIN. */
int agent_refusal(const struct agent *a);

static inline bool agent_is_local(const struct agent *a)
{
	return a->ops->fetch != NULL;
}

/*
 * Asks for one part of a request; the answer comes by req->answer, perhaps before this returns.
 * 0, or an error when nothing was asked. The client's PROFILE must have been sent before.
 */
int agent_ask(struct agent *a, struct request *req, unsigned int part, const struct question *q);

/* The agent knows of this client from now on (NULL is fine), and is to be informed of its end. */
void agent_note_use(const struct agent *a, struct client *c);

/* Sends the profile unless the agent has it. NULL: everything is wanted. 0, or -ENOMEM: it must not
 * be asked. */
int agent_use_profile(struct agent *a, unsigned int ctx, int32_t slot, struct profile *profile);

/* Sends the attributes of a client, if the agent wants them and there are any. */
void agent_send_attributes(struct agent *a, struct client *c);

/* A client has gone. */
void agent_forget_client(struct agent *a, unsigned int ctx);

/* For the kinds with a queue: it is empty, so deferred notices can be sent. */
void agent_send_notices(struct agent *a);

/* Gives the answer to the request of a call. */
static inline void call_answer(const struct call *call, const struct answer *answer)
{
	call->answered(call->request, call->part, answer);
}

/* For the kinds with a queue: appends a copy of the call. 0, PM_ERR_AGAIN when there are too many,
 * -ENOMEM. */
int agent_call_add(struct agent *a, const struct call *asked);
/* Takes the newest call back: nothing was asked. */
void agent_call_undo(struct agent *a);
/* The oldest call, out of the queue; NULL if none. To be given to agent_call_done. */
struct call *agent_call_take(struct agent *a);
void agent_call_free(struct agent *a, struct call *call);

/* The agent has given this PMID to a name. One of another domain than the configuration's is
 * logged, once a start: clients ask in vain for such a metric. */
void agent_check_domain(struct agent *a, pmID pmid);

/* Deadlines and long silence. Returns true if it wants to be called again. */
bool agent_tick(struct agent *a, uint64_t now_ms);

/* For agent_calls.c: bytes that the agent has not taken yet. */
size_t agent_backlog(const struct agent *a);

/* For agent_calls.c: sends the notices of one client. 0, or -ENOMEM: the rest is sent later. */
int agent_send_notices_of(struct agent *a, unsigned int ctx);

/* False if the log had this already within the last minute: an agent may change its state a
 * thousand times a second. */
bool agent_may_log(struct agent *a, enum agent_log what);

/* The table of agents that run, for the log. */
void agents_dump(struct server *server, struct buffer *out);

/* At the end of a server, when its agents are freed: agents in this process that were parked. */
void agent_dso_done(struct server *server);

extern const struct agent_ops agent_dso_ops;
extern const struct agent_ops agent_pipe_ops;
extern const struct agent_ops agent_socket_ops;
extern const struct agent_ops agent_builtin_ops;

#endif
