/*
 * agent_channel - one connection with an agent that is a process, from its first attempt to its end
 * (docs/spec/pdu.md 10).
 *
 * Requests are collected and written at the end of the turn; what the agent does not take waits in
 * the channel. Answers come in the order of the requests. The agent speaks first (CREDS), so a
 * channel to a socket whose server is not there yet shows as an end of stream before the first
 * byte: it is tried again until the time for the handshake has passed.
 */
#ifndef PMCD_AGENT_CHANNEL_H
#define PMCD_AGENT_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "daemons/pmcd/inbox.h"
#include "libbase/buffer.h"
#include "libbase/list.h"
#include "libwire/pdu.h"

struct agent;
struct call;
struct question;
struct server;

struct channel {
	struct agent *agent; /* NULL: closed, waiting for the loop to let go */
	uv_poll_t from, to;
	int from_fd, to_fd; /* a socket has two descriptors too: each can be watched alone */
	unsigned int closing;
	struct list dirty; /* in server->agents.dirty when there is something to be written */
	struct inbox in;
	struct buffer out;
	bool writing; /* to is watched: the agent does not take what we write */
};

/* Takes over both descriptors, also on failure: NULL, when out of memory. */
struct channel *channel_new(struct agent *a, int from_fd, int to_fd);
void channel_free(struct channel *ch);

/* Reads the bytes that have arrived, and ends the agent at an invalid PDU or the end of the
 * stream. */
void channel_read(struct channel *ch);

/* Of struct agent_ops, for agents whose impl is a channel. */
int channel_ask(struct agent *a, const struct call *call, const struct question *q);
int channel_notify(struct agent *a, unsigned int ctx, enum pdu_type type,
		   const union pdu_body *body);
size_t channel_backlog(const struct agent *a);

/* One write for each agent that was asked something in this turn. */
void channel_flush_all(struct server *server);

#endif
