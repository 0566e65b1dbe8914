/*
 * fetch_line - a connection to the collector for fetches alone, which the loop serves by itself.
 *
 *     loop                                     link's thread
 *     open --------------------------------->  reconnects its own, makes another, gives it away
 *     opened <-------------------------------
 *     send: profile, fetch --> socket
 *     readable: a whole reply --> answered
 *
 * What may wait (names of hosts, connecting, the handshake) is the thread's; here nothing does:
 * bytes go and come as the socket takes and has them, and a reply that does not come within the
 * time of a request (PMCD_REQUEST_TIMEOUT) closes the line. A fetch costs no other thread, and
 * questions that the thread asks meanwhile do not hold it up, for the collector serves connections
 * by turns.
 *
 * Who uses what: descriptor, buffers and what was asked for are the loop's, from its taking the
 * descriptor out of a finished job on; the thread keeps nothing of it.
 *
 * There is no line to agents in our own process (-o), nor where the collector allows us one
 * connection only: fetches are jobs of the link then.
 */
#ifndef PMLOGGER_FETCH_LINE_H
#define PMLOGGER_FETCH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "daemons/pmlogger/deadline.h"
#include "daemons/pmlogger/pmcd_link.h"
#include "libbase/arena.h"
#include "libbase/buffer.h"

struct fetch_group;
struct line_socket;

struct line_reply {
	int err;              /* 0: pdu */
	bool lost;            /* the line is closed */
	unsigned int changes; /* PMCD_* bits */
	const uint8_t
	    *pdu; /* a whole RESULT or HIGHRES_RESULT, borrowed for the call; not looked at */
	size_t len;
};

struct fetch_line {
	uv_loop_t *loop;
	struct pmcd_link *link;
	struct link_job job; /* of opening */
	int opened_fd;       /* what the job brought */
	unsigned int opened_features;
	int32_t from;               /* of its requests */
	int limit_ms;               /* of a reply; 0: none */
	struct line_socket *socket; /* NULL: closed */
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
	void (*ready)(struct fetch_line *line, int err); /* of fetch_line_open */
	void (*answered)(struct fetch_line *line, const struct line_reply *reply);
	void (*hung_up)(struct fetch_line *line, int err); /* while nothing was asked for */
};

/* In the loop's thread, before the first use; ready, answered and hung_up are the caller's to set.
 */
void fetch_line_init(struct fetch_line *line, uv_loop_t *loop, struct pmcd_link *link);

static inline bool fetch_line_is_open(const struct fetch_line *line)
{
	return line->socket != NULL;
}

/* Opens it, and the link's own connection again if there was a line before: ready is called, with 0
 * or why there is none now. Not while that is under way. */
void fetch_line_open(struct fetch_line *line);

/* Sends a fetch with the profile of its group: answered is called, in any case from the loop. The
 * line is open, and nothing is asked for. */
void fetch_line_send(struct fetch_line *line, const struct fetch_group *group);

/* Closes it; what was asked for is not answered any more. */
void fetch_line_close(struct fetch_line *line);

/* Frees what it has. The job of opening is over, or never will be. */
void fetch_line_done(struct fetch_line *line);

#endif
