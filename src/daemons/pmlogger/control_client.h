/*
 * control_client - one client of the control port: its PDUs in, one answer each out, in order.
 *
 * While an answer is being made, or waits to be taken, nothing more is read: a client holds one
 * request and one answer, never more. Nobody waits for a client: what it does not take stays in its
 * own buffer, what it does not finish has a deadline.
 */
#ifndef PMLOGGER_CONTROL_CLIENT_H
#define PMLOGGER_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "daemons/pmlogger/deadline.h"
#include "libbase/buffer.h"
#include "libbase/list.h"
#include "libwire/pdu.h"

struct control_client;
struct control_recorder;
struct logger;

enum {
	CONTROL_PDU_MAX = 4 << 20,     /* a request: 250,000 metrics */
	CONTROL_ANSWER_MAX = 32 << 20, /* what does not fit is PM_ERR_TOOBIG */
	CONTROL_PDU_MS = 10000,        /* from a request's first byte to its last */
	CONTROL_STALL_MS = 60000,      /* without taking a byte of its answer */
	CONTROL_QA_MS = 5000,          /* what request 101 delays every answer by */
	CONTROL_SILENT_MS =
	    200, /* for its credentials, while another connection waits for a place */
	CONTROL_NAME_MAX = 120,
};

/* The owner of a client, which is informed of its end. */
struct control_owner {
	uv_loop_t *loop;
	const struct control_recorder *recorder;
	struct logger *logger; /* what its functions get */
	int max_version;
	void (*ended)(struct control_owner *owner, struct control_client *c);
};

/* A request that the logger is at; outlives the client, then without one. */
struct control_call;

enum control_state {
	CONTROL_READS, /* for the next request */
	CONTROL_WAITS, /* for the logger */
	CONTROL_SENDS, /* its answer */
	CONTROL_CLOSED,
};

struct control_client {
	struct control_owner *owner;
	struct list link; /* the owner's */
	uv_poll_t poll;
	struct deadline deadline; /* of what is under way */
	int handles;              /* that are open: the last one frees the client */
	int fd;
	char name[CONTROL_NAME_MAX]; /* for the log */
	void *peer;                  /* the owner's */
	unsigned int denied;         /* CONFIG_OP_* */
	enum control_state state;
	uint64_t made_ms; /* of the loop's clock */
	int version;      /* 0: no credentials yet */
	bool last;        /* the answer under way is the last one */
	bool held;        /* it is being delayed */
	bool qa;
	bool partial; /* a request has begun: the deadline runs */
	struct buffer in;
	struct buffer out;
	struct control_call *call;
	/* A request that the recorder was at has its answer in out: sends it. */
	void (*answered)(struct control_client *c);
};

/*
 * Takes over fd (non-blocking) and greets. NULL: -ENOMEM, and fd is closed.
 */
struct control_client *control_client_new(struct control_owner *owner, int fd, const char *name,
					  unsigned int denied, void *peer);

/* It has sent nothing for CONTROL_SILENT_MS since it came, not even its credentials. */
bool control_client_is_silent(const struct control_client *c);

/* Ends it: owner->ended is called at once, the memory is freed by the loop. */
void control_client_close(struct control_client *c);

/* Sends one ERROR with the sender 0 and closes fd: there is no client. */
void control_client_refuse(int fd, int code);

/*
 * Requests: what a client can ask, a table row a PDU (control_request.c; docs/spec/logger.md B2 to
 * B5)
 */

/*
 * Serves one whole PDU: its answer, if it has one, is in c->out, or the client waits for the
 * logger. 0, or a negative error that is to be sent to the client before it is closed.
 */
int control_request_serve(struct control_client *c, const uint8_t *pdu, size_t len);

/* The client is closed: the logger may still answer, and the answer is dropped. */
void control_request_forget(struct control_client *c);

#endif
