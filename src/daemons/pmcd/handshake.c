/* handshake - see handshake.h. */
#include "daemons/pmcd/handshake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libwire/pdu.h"

enum {
	/* The features that a client may request in its credentials; others are not supported. */
	FEATURES = PDU_FEATURE_CREDS_REQD | PDU_FEATURE_CONTAINER | PDU_FEATURE_CERT_REQD,
};

static unsigned int features_offered(const struct server *server)
{
	unsigned int features =
	    PDU_FEATURE_LABELS | PDU_FEATURE_HIGHRES | PDU_FEATURE_DESCS | PDU_FEATURE_CONTAINER;

	if (access_wants_account(server->access) || server->options->require_account)
		features |= PDU_FEATURE_CREDS_REQD;
	return features;
}

/* The extended ERROR that opens every connection (docs/spec/pdu.md 8.1). */
int handshake_greet(struct server *server, int fd, int code)
{
	union pdu_body body = {.error = {.code = code, .extended = true}};
	struct buffer hello = BUFFER_INIT;
	int r;

	if (code >= 0)
		body.error.datum = pdu_challenge(features_offered(server));
	r = pdu_encode(&hello, PDU_ERROR, 0, &body);
	if (r == 0) {
		/* 20 bytes into an empty socket buffer: they fit. */
		ssize_t n = send(fd, hello.data, hello.len, MSG_NOSIGNAL);

		(void)n;
		server_sent(server, fd, PDU_ERROR, code);
	}
	buffer_done(&hello);
	return r;
}

/* All attributes of the client, to the agents that want them (docs/spec/pmcd.md 8.5). */
void handshake_publish(struct client *c)
{
	struct server *server = c->server;

	c->attributes_changed = false;
	for (unsigned int i = 0; i < server->agents.count; i++)
		agent_send_attributes(server->agents.all[i], c);
}

static int check_account(struct client *c)
{
	struct server *server = c->server;
	int r;

	if (!c->account.known && server->options->require_account)
		return PM_ERR_PERMISSION;
	if (c->account_entered)
		return 0;
	r = access_account_enter(server->access, &c->account, &c->denied);
	if (r == 0)
		c->account_entered = true;
	return r;
}

/* A refused client gets the reason and nothing else. */
static void handshake_refuse(struct client *c, int code)
{
	client_error(c, code);
	client_flush(c);
	client_close(c);
}

static void admit(struct client *c)
{
	int r = check_account(c);

	if (r < 0) {
		handshake_refuse(c, r);
		return;
	}
	c->state = CLIENT_SERVED;
	client_introduced(c);
	handshake_publish(c);
}

static int creds_refusal(unsigned int flags)
{
	if ((flags & PDU_FEATURE_SECURE) != 0)
		return PM_ERR_NOTCONN;
	if ((flags & (PDU_FEATURE_COMPRESS | PDU_FEATURE_AUTH)) != 0)
		return -EOPNOTSUPP;
	return (flags & ~(unsigned int)FEATURES) != 0 ? PM_ERR_IPC : 0;
}

/* The last credential of version and flags; 0 when there is none, or one of a type that we don't
 * know: then nothing of them counts. */
static uint32_t choose_cred(const struct pdu_creds *creds)
{
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < creds->numcred; i++) {
		if (creds->creds[i] >> 24 != 1)
			return 0;
		chosen = creds->creds[i];
	}
	return chosen;
}

/* docs/spec/pdu.md 8.1, 8.2: only the version counts, and a missing version is not an error. */
void handshake_creds(struct client *c, const struct inbox_pdu *pdu)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	unsigned int flags = 0, version = 0;
	int r = pdu_decode(pdu->bytes, pdu->header.len, &mem, &body);

	if (r == 0) {
		uint32_t cred = choose_cred(&body.creds);

		version = cred >> 16 & 0xff;
		flags = cred & 0xffff;
		r = creds_refusal(flags);
	}
	arena_done(&mem);
	if (r < 0)
		handshake_refuse(c, r);
	else if (version != 0 && (flags & PDU_FEATURE_CONTAINER) != 0)
		c->state = CLIENT_CONTAINER;
	else if (version != 0)
		admit(c);
}

/* A client may introduce itself again. */
static int set_container(struct client *c, const struct wire_str *name)
{
	char *copy = malloc(name->len + (size_t)1);

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, name->s, name->len);
	copy[name->len] = '\0';
	free(c->container);
	c->container = copy;
	return 0;
}

void handshake_container(struct client *c, const struct inbox_pdu *pdu)
{
	union pdu_body body;
	struct arena mem = ARENA_INIT;
	int r = pdu_decode(pdu->bytes, pdu->header.len, &mem, &body);

	if (r == 0 && (pdu->header.type != PDU_ATTR || body.attr.key != PDU_ATTR_CONTAINER ||
		       body.attr.value.len > CLIENT_TEXT_MAX))
		r = PM_ERR_IPC;
	if (r == 0)
		r = set_container(c, &body.attr.value);
	if (r == 0)
		admit(c);
	else
		handshake_refuse(c, r);
	arena_done(&mem);
}

void handshake_again(struct client *c)
{
	struct server *server = c->server;
	int r = access_host_enter(server->access, &c->peer.any, &c->denied);

	if (r == 0) {
		c->host_entered = true;
		if (c->state == CLIENT_SERVED)
			r = check_account(c);
	}
	if (r < 0)
		handshake_refuse(c, r);
}
