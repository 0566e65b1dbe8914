/*
 * fetch_conn - a connection to the collector for fetches alone, which the loop serves.
 *
 *     loop                                     worker thread
 *     open --------------------------------->  reconnects its own, makes another, gives it away
 *     opened <-------------------------------
 *     send: profile, fetch --> socket
 *     readable: a whole reply --> answered
 *
 * The thread does all that may wait: it looks host names up, connects, and shakes hands. Nothing
 * waits here: the loop writes and reads when the socket is ready. A reply that does not come within
 * the time of a request (PMCD_REQUEST_TIMEOUT) closes the connection. A fetch needs no other
 * thread. Questions that the worker asks meanwhile do not delay it, because the collector serves
 * its connections in turn.
 *
 * Owner: the descriptor, the buffers and the state of a request are the loop's, from the time when
 * it takes the descriptor out of a finished job. The thread keeps nothing.
 *
 * Without such a connection fetches are jobs of the worker: for agents in our own process (-o), and
 * if the collector allows us one connection only.
 */
#ifndef PMLOGGER_FETCH_CONN_H
#define PMLOGGER_FETCH_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "daemons/pmlogger/deadline.h"
#include "daemons/pmlogger/worker.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"

struct fetch_group;
struct conn_socket;

struct fetch_reply {
	int err;              /* 0: pdu */
	bool lost;            /* the connection is closed */
	unsigned int changes; /* PMCD_* bits */
	const uint8_t
	    *pdu; /* a whole RESULT or HIGHRES_RESULT, borrowed for the call; not looked at */
	size_t len;
};

struct fetch_conn {
	uv_loop_t *loop;
	struct worker *worker;
	struct worker_job job; /* of opening */
	int opened_fd;         /* what the job brought */
	unsigned int opened_features;
	int32_t from;               /* of its requests */
	int limit_ms;               /* of a reply; 0: none */
	struct conn_socket *socket; /* NULL: closed */
	struct deadline deadline;
	bool highres;
	unsigned int opened; /* how many times */
	uint64_t profile;    /* whose the collector has; 0: all instances of all domains */
	bool profile_new;    /* and is not known to have taken */
	bool asked;          /* and not answered yet */
	int failed;          /* in sending: to be reported */
	unsigned int changes;
	struct buffer out, in;
	struct arena mem;
	void (*ready)(struct fetch_conn *conn, int err); /* of fetch_conn_open */
	void (*answered)(struct fetch_conn *conn, const struct fetch_reply *reply);
	void (*hung_up)(struct fetch_conn *conn, int err); /* while nothing was asked for */
};

/* In the loop's thread, before the first use; ready, answered and hung_up are the caller's to set.
 */
void fetch_conn_init(struct fetch_conn *conn, uv_loop_t *loop, struct worker *worker);

static inline bool fetch_conn_is_open(const struct fetch_conn *conn)
{
	return conn->socket != NULL;
}

/* Opens the connection, and if it was open before, the worker's own again. Calls ready with 0 or an
 * error. Not to be called while another call is under way. */
void fetch_conn_open(struct fetch_conn *conn);

/* Sends a fetch with the profile of its group: answered is called, in any case from the loop. The
 * connection is open, and nothing is asked for. */
void fetch_conn_send(struct fetch_conn *conn, const struct fetch_group *group);

/* Closes it; what was asked for is not answered any more. */
void fetch_conn_close(struct fetch_conn *conn);

/* Frees what it has. The job of opening is over, or never will be. */
void fetch_conn_done(struct fetch_conn *conn);

#endif
