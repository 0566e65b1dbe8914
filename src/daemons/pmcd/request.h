/*
 * request - one question of a client, from its PDU to its reply (docs/spec/pmcd.md 9).
 *
 * A kind of request is a row: the right that it needs, and how it starts. Starting asks agents for
 * parts; when no part is pending any more the request finishes, which appends the reply to the
 * client's output. With agents in this process all of that happens within request_start. A request
 * outlives its client: then client is NULL and the answers go nowhere. Its memory is one arena.
 */
#ifndef PMCD_REQUEST_H
#define PMCD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "daemons/pmcd/agent.h"
#include "libbase/arena.h"
#include "libbase/list.h"
#include "libwire/pdu.h"

struct client;
struct inbox_pdu;
struct names;
struct server;

struct request {
	struct list node; /* among the server's spare ones */
	struct server *server;
	struct client *client;
	unsigned int ctx; /* the client's index, by which agents know it */
	uint32_t type;
	const uint8_t *bytes; /* the client's PDU: valid while starting alone */
	uint32_t len;
	union pdu_body body; /* strings in it borrow from bytes, arrays live in mem */
	struct arena mem;
	bool heavy; /* its calls count as such in their agents */
	/* Takes an answer to a part, from an agent. */
	void (*answer)(struct request *req, unsigned int part, const struct answer *answer);
	uint64_t agent_ns;    /* for which processes were busy with it */
	unsigned int pending; /* parts not answered yet */
	/* True if an agent's answer fits this part; or NULL. An answer that does not fit is treated
	 * as a malformed body: the part is answered with PM_ERR_IPC. */
	bool (*fits)(const struct request *req, unsigned int part, const struct answer *answer);
	/* One part was answered; *answer is valid during the call, memory in req->mem longer. */
	void (*answered)(struct request *req, unsigned int part, const struct answer *answer);
	/*
	 * Offers the bytes of the answer to the last part that is out, before they are decoded; or
	 * NULL. True if the reply was made of them, or its failure is known: fits and answered
	 * are then called with a body that has no meaning.
	 */
	bool (*take)(struct request *req, const uint8_t *bytes, uint32_t len);
	/* Everything is in: append the reply. 0, or the error to be replied. */
	int (*finish)(struct request *req);
	/* Lets go of what is not in the arena; or NULL. */
	void (*done)(struct request *req);
	void *parts; /* of the kind, in mem */
	/* Kinds with many parts: asks the next one, of which a window is out at a time. */
	void (*ask_next)(struct request *req, unsigned int part);
	unsigned int asked, total;
	bool pumping;
};

enum {
	/* Parts of one request that are out together: an agent has time for others in between. */
	REQUEST_WINDOW = 64,
	REQUEST_SPARE_MAX = 64,  /* kept for the next ones */
	REQUEST_SPARE_LARGE = 4, /* of these, so many with more memory than REQUEST_SPARE_KEEP */
	REQUEST_SPARE_KEEP = 16 << 10,
};

/* Requests that are not in use, with their memory. */
struct request_pool {
	struct list spare;
	unsigned int nspare;
};

/* Serves a PDU of a client whose handshake is done; replies now or later. In request_kinds.c. */
void request_start(struct client *c, const struct inbox_pdu *pdu);

/* For request_start: makes a request of the PDU and begins it with the start of its kind. */
void request_begin(struct client *c, const struct inbox_pdu *pdu,
		   int (*start)(struct request *req));

/* For kinds with ask_next: asks as many parts as the window allows; the rest follows by itself. */
void request_pump(struct request *req);

/* Frees the spare requests of a server. */
void request_pool_done(struct server *server);

/* For kinds: where the reply goes. NULL when the client has gone. */
struct buffer *request_out(struct request *req);

/* A PDU of this type was appended to the reply of a client that is there: it is counted. */
void request_sent(struct request *req, enum pdu_type type);

/* Appends a PDU to the reply and counts it. 0 or an error of pdu_encode. */
int request_reply(struct request *req, enum pdu_type type, const union pdu_body *body);

/* The agent of a domain, or the error in its place (unknown: the error if the domain is not
 * configured). */
int request_route(struct request *req, unsigned int domain, int unknown, struct agent **ret_agent);

/*
 * How each kind of request starts (the table is in request_kinds.c): 0, or an error that is
 * replied. It sets the call-backs of the request and asks agents for its parts.
 */

/* fetch.c: values. */
int fetch_start(struct request *req);

/* store.c: values that a client sets. */
int store_start(struct request *req);

/* single.c: one agent answers. */
int single_desc_start(struct request *req);
int single_instance_start(struct request *req);
int single_text_start(struct request *req);
int single_label_start(struct request *req);

/* single.c: many descriptors at once. */
int desc_ids_start(struct request *req);

/* name_request.c: names and PMIDs. */
int name_names_start(struct request *req);
int name_ids_start(struct request *req);
int name_child_start(struct request *req);
int name_traverse_start(struct request *req);

/* Passes the request on to the agent of a domain, and its answer (of type want) back. unknown is
 * the error for a domain that is not configured. For kinds that are single only sometimes. */
int single_ask(struct request *req, unsigned int domain, int unknown, uint32_t want);
int single_ask_agent(struct request *req, struct agent *a, uint32_t want);

/* The result: 0 when the answer was passed on, or the error to be replied. */
int single_finish(struct request *req);

#endif
