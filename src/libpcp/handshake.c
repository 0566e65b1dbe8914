/* handshake - see handshake.h. */
#include "libpcp/handshake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PROXY_LINE_MAX = 64 };

static const char proxy_hello[] = "pmproxy-client 1\n";
static const char proxy_answer[] = "pmproxy-server 1";

/* One line that ends with a newline or a carriage return must be the proxy's answer. */
static int expect_answer(struct conn *c)
{
	const uint8_t *bytes;
	size_t len = 0;
	size_t line = 0;
	int r;

	for (;;) {
		r = conn_peek(c, len + 1, &bytes, &len);
		if (r < 0)
			return r;
		while (line < len && bytes[line] != '\n' && bytes[line] != '\r')
			line++;
		if (line < len)
			break;
		if (len > PROXY_LINE_MAX)
			return PM_ERR_IPC;
	}
	if (line != strlen(proxy_answer) || memcmp(bytes, proxy_answer, line) != 0)
		return PM_ERR_IPC;
	conn_skip(c, line + 1);
	return 0;
}

int handshake_proxy(struct conn *c, const char *host, int port)
{
	int r;

	buffer_put(&c->out, proxy_hello, strlen(proxy_hello));
	r = c->out.err;
	if (r == 0)
		r = conn_flush(c);
	if (r == 0)
		r = expect_answer(c);
	if (r == 0) {
		buffer_printf(&c->out, "%s %d\n", host, port);
		r = c->out.err;
	}
	if (r == 0)
		r = conn_flush(c);
	if (r < 0)
		conn_close(c, PM_ERR_IPC);
	return r;
}

/* The flags of our credentials (docs/spec/pdu.md 8.3), or why there can be no agreement. */
static int choose_flags(unsigned int features, const struct handshake_options *o)
{
	unsigned int flags = features & PDU_FEATURE_CREDS_REQD;

	/* A certificate goes with TLS, which has to be asked for, and which there is none of. */
	if ((features & PDU_FEATURE_CERT_REQD) != 0 && !o->local && !o->secure)
		return PM_ERR_NEEDCLIENTCERT;
	if (o->secure || o->compress || o->auth)
		return -EOPNOTSUPP;
	/* Without a Unix socket demanded credentials mean a login. */
	if ((features & PDU_FEATURE_CREDS_REQD) != 0 && !o->unixsock)
		return -EOPNOTSUPP;
	if (o->container != NULL && (features & PDU_FEATURE_CONTAINER) == 0)
		return -EOPNOTSUPP;
	if (o->container != NULL)
		flags |= PDU_FEATURE_CONTAINER;
	return (int)flags;
}

static int put_creds(struct conn *c, unsigned int flags)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, flags);
	const union pdu_body body = {.creds = {.numcred = 1, .creds = &cred}};
	int32_t from = c->from;
	int r;

	c->from = (int32_t)getpid();
	r = conn_put(c, PDU_CREDS, &body);
	c->from = from;
	return r;
}

static int put_container(struct conn *c, const char *name)
{
	const union pdu_body body = {
	    .attr =
		{
		    .key = PDU_ATTR_CONTAINER,
		    .value = {.s = name, .len = (uint32_t)strlen(name)},
		},
	};
	int32_t from = c->from;
	int r;

	c->from = 0;
	r = conn_put(c, PDU_ATTR, &body);
	c->from = from;
	return r;
}

static int answer_challenge(struct conn *c, const struct handshake_options *options)
{
	int flags = choose_flags(c->features, options);
	int r;

	if (flags < 0)
		return flags;
	r = put_creds(c, (unsigned int)flags);
	if (r == 0 && (flags & PDU_FEATURE_CONTAINER) != 0)
		r = put_container(c, options->container);
	if (r == 0)
		r = conn_flush(c);
	/* Flags may be refused, and an account; plain credentials have no answer of any kind. */
	c->untried = flags != 0;
	return r;
}

int handshake_client(struct conn *c, const struct handshake_options *options)
{
	union pdu_body body;
	int r;

	r = conn_reply(c, PDU_ERROR, NULL, &body);
	/* Bytes of another protocol look like a huge PDU more often than not. */
	if (r == PM_ERR_TOOBIG || (r == 0 && !body.error.extended))
		r = PM_ERR_IPC;
	if (r == 0) {
		c->features = body.error.datum & 0xffff;
		r = answer_challenge(c, options);
	}
	if (r < 0)
		conn_close(c, PM_ERR_IPC);
	return r;
}
