/* agent_channel - see agent_channel.h. */
#include "daemons/pmcd/agent_channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/endian_be.h"

enum {
	CHANNEL_READ_MAX = LOOP_SHARED,
	CHANNEL_OUT_KEEP = 64 << 10, /* bytes of an empty output buffer */
};

static void channel_from_ready(uv_poll_t *handle, int status, int events);
static void channel_to_ready(uv_poll_t *handle, int status, int events);

static void channel_closed(uv_handle_t *handle)
{
	struct channel *ch = handle->data;

	if (--ch->closing == 0)
		free(ch);
}

void channel_free(struct channel *ch)
{
	list_del(&ch->dirty);
	ch->agent = NULL;
	inbox_done(&ch->in);
	buffer_done(&ch->out);
	ch->closing = 2;
	uv_close((uv_handle_t *)&ch->from, channel_closed);
	uv_close((uv_handle_t *)&ch->to, channel_closed);
	close(ch->from_fd);
	close(ch->to_fd);
}

struct channel *channel_new(struct agent *a, int from_fd, int to_fd)
{
	struct server *server = a->server;
	struct channel *ch = calloc(1, sizeof(*ch));

	if (ch == NULL) {
		close(from_fd);
		close(to_fd);
		return NULL;
	}
	ch->agent = a;
	ch->from_fd = from_fd;
	ch->to_fd = to_fd;
	list_init(&ch->dirty);
	uv_poll_init(&server->loop.uv, &ch->from, from_fd);
	uv_poll_init(&server->loop.uv, &ch->to, to_fd);
	ch->from.data = ch;
	ch->to.data = ch;
	uv_poll_start(&ch->from, UV_READABLE, channel_from_ready);
	counts_fd(&server->counts, from_fd);
	counts_fd(&server->counts, to_fd);
	return ch;
}

/* A protocol failure names the descriptor, as 6.0.3's line does. */
static void channel_botch(struct channel *ch, const char *why)
{
	struct agent *a = ch->agent;
	char what[64];

	log_error("Agent \"%s\" (dom %u): %s", a->config->label, a->config->domain, why);
	snprintf(what, sizeof(what), "protocol failure for fd=%d", ch->from_fd);
	agent_fail(a, AGENT_END_PROTOCOL, PM_ERR_IPC, what);
}

static void channel_lost(struct channel *ch, int code)
{
	struct agent *a = ch->agent;

	agent_fail(a, a->state == AGENT_STARTING ? AGENT_END_NOSTART : AGENT_END_EXITED, code,
		   "terminated");
}

/*
 * Writing
 */

static void channel_mark(struct channel *ch)
{
	struct server *server = ch->agent->server;

	if (!ch->writing && list_empty(&ch->dirty))
		list_add_tail(&server->agents.dirty, &ch->dirty);
}

static void channel_flush(struct channel *ch)
{
	while (buffer_pending(&ch->out) > 0) {
		ssize_t n = write(ch->to_fd, buffer_head(&ch->out), buffer_pending(&ch->out));

		if (n > 0) {
			buffer_consume(&ch->out, (size_t)n);
		} else if (n < 0 && errno == EAGAIN) {
			if (!ch->writing)
				uv_poll_start(&ch->to, UV_WRITABLE, channel_to_ready);
			ch->writing = true;
			return;
		} else if (n < 0 && errno != EINTR) {
			channel_lost(ch, -errno);
			return;
		}
	}
	if (ch->writing)
		uv_poll_stop(&ch->to);
	ch->writing = false;
	buffer_trim(&ch->out, CHANNEL_OUT_KEEP);
	agent_send_notices(ch->agent);
}

static void channel_to_ready(uv_poll_t *handle, int status, int events)
{
	struct channel *ch = handle->data;

	if (ch->agent != NULL)
		channel_flush(ch);
}

void channel_flush_all(struct server *server)
{
	/* The end of one agent may ask another something: that is written in this turn too. */
	while (!list_empty(&server->agents.dirty)) {
		struct channel *ch = LIST_ENTRY(server->agents.dirty.next, struct channel, dirty);

		list_del(&ch->dirty);
		channel_flush(ch);
	}
}

/* A PDU that did not fit is taken out again: the agent reads whole PDUs, or nothing. */
static int channel_undo(struct channel *ch, size_t waiting, int error)
{
	ch->out.len = ch->out.start + waiting;
	ch->out.err = 0;
	return error;
}

static int channel_put(struct channel *ch, unsigned int ctx, enum pdu_type type,
		       const union pdu_body *body)
{
	size_t waiting = buffer_pending(&ch->out);
	int r = pdu_encode(&ch->out, type, (int32_t)ctx, body);

	if (r < 0)
		return channel_undo(ch, waiting, r);
	server_sent(ch->agent->server, ch->to_fd, type, type == PDU_ERROR ? body->error.code : 0);
	channel_mark(ch);
	return 0;
}

/* The client's own bytes; only the originator is another. */
static int channel_relay(struct channel *ch, unsigned int ctx, const struct question *q)
{
	size_t waiting = buffer_pending(&ch->out);

	buffer_put(&ch->out, q->bytes, q->len);
	if (ch->out.err != 0)
		return channel_undo(ch, waiting, ch->out.err);
	store_be32(ch->out.data + ch->out.len - q->len + 8, ctx);
	server_sent(ch->agent->server, ch->to_fd, q->type, 0);
	channel_mark(ch);
	return 0;
}

int channel_ask(struct agent *a, const struct call *call, const struct question *q)
{
	struct channel *ch = a->impl;
	int r;

	/* The place in the queue first: a question without one would get the next one's answer. */
	r = agent_call_add(a, call);
	if (r < 0)
		return r;
	if (q->bytes == NULL)
		r = channel_put(ch, call->request->ctx, q->type, q->body);
	else
		r = channel_relay(ch, call->request->ctx, q);
	if (r < 0)
		agent_call_undo(a);
	return r;
}

int channel_notify(struct agent *a, unsigned int ctx, enum pdu_type type,
		   const union pdu_body *body)
{
	return channel_put(a->impl, ctx, type, body);
}

size_t channel_backlog(const struct agent *a)
{
	const struct channel *ch = a->impl;

	return buffer_pending(&ch->out);
}

/*
 * Reading
 */

static bool hello_cred(const struct inbox_pdu *pdu, uint32_t *ret_cred)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	bool ok;

	ok = pdu->header.type == PDU_CREDS &&
	     pdu_decode(pdu->bytes, pdu->header.len, &mem, &body) == 0 && body.creds.numcred > 0 &&
	     body.creds.creds[0] >> 24 == 1;
	if (ok)
		*ret_cred = body.creds.creds[0];
	arena_done(&mem);
	return ok;
}

/* The agent's flags: an agent that wants one attribute gets all (docs/spec/pdu.md 10.1). */
static void channel_hello(struct channel *ch, const struct inbox_pdu *pdu)
{
	struct agent *a = ch->agent;
	union pdu_body body;
	uint32_t cred;

	if (!hello_cred(pdu, &cred)) {
		channel_botch(ch, "no credentials at the start");
		return;
	}
	a->attributes = (cred & (PDU_FEATURE_AUTH | PDU_FEATURE_CONTAINER)) != 0;
	cred = pdu_cred_version(PDU_VERSION, cred & PDU_FEATURE_AUTH);
	body.creds.numcred = 1;
	body.creds.creds = &cred;
	channel_put(ch, (unsigned int)getpid(), PDU_CREDS, &body);
	agent_up(a, a->config->notready);
}

/* The code of an ERROR, without translation. An extended one counts, too, which agents have no
 * reason to send. */
static int error_code(const struct inbox_pdu *pdu, int *ret_code)
{
	union pdu_body body;
	int r = pdu_decode(pdu->bytes, pdu->header.len, NULL, &body);

	if (r == 0)
		*ret_code = (int)load_be32(pdu->bytes + PDU_HEADER_LEN);
	return r;
}

/* NOTREADY answers a question, READY ends that state (docs/spec/pdu.md 10.3). True: it was one of
 * these, and is not an answer. */
static bool channel_readiness(struct channel *ch, int code)
{
	struct agent *a = ch->agent;

	if (code == PM_ERR_PMDANOTREADY && a->state == AGENT_READY)
		agent_ready(a, false);
	if (code != PM_ERR_PMDAREADY || a->state != AGENT_NOTREADY)
		return false;
	agent_ready(a, true);
	return true;
}

/* The body of a good answer, in memory that lasts as long as the request. */
static int answer_decode(struct request *req, const struct inbox_pdu *pdu, struct answer *answer)
{
	const uint8_t *bytes = pdu->bytes;
	uint32_t len = pdu->header.len;

	if (req->pending == 1 && req->take != NULL && req->take(req, bytes, len))
		return 0;
	/* With other parts still out, the bytes must outlive this turn. */
	if (req->pending > 1) {
		uint8_t *copy = arena_alloc(&req->mem, len);

		if (copy == NULL)
			return -ENOMEM;
		bytes = memcpy(copy, bytes, len);
	}
	answer->bytes = bytes;
	return pdu_decode(bytes, len, &req->mem, &answer->body);
}

/* The status of an ERROR PDU. A code that is not an error is valid only as the answer to a store.
 */
static int channel_status_of(int code, uint32_t want)
{
	if (code == PM_ERR_PMDANOTREADY)
		return PM_ERR_AGAIN;
	return code >= 0 && want != PDU_ERROR ? PM_ERR_GENERIC : code;
}

/* A malformed body, or one that does not fit, ends an agent that was asked for one of these. For
 * any other the client gets the error, and the agent goes on (docs/spec/pmcd.md 8.3). */
static bool wants_good_body(uint32_t want)
{
	return want == PDU_RESULT || want == PDU_TEXT || want == PDU_ERROR;
}

/* Checks a PDU as the answer to a question. True if the agent is at fault. */
static bool channel_judge(const struct call *call, const struct inbox_pdu *pdu,
			  struct answer *answer)
{
	struct request *req = call->request;
	bool is_error = pdu->header.type == PDU_ERROR;
	int code = 0, r;

	answer->type = pdu->header.type;
	answer->status = PM_ERR_IPC;
	if (!is_error && pdu->header.type != call->want)
		return true;
	if (!is_error && req == NULL)
		return false; /* no request waits for it */
	r = is_error ? error_code(pdu, &code) : answer_decode(req, pdu, answer);
	if (r == 0 && !is_error && req->fits != NULL && !req->fits(req, call->part, answer))
		r = PM_ERR_IPC;
	if (r == PM_ERR_IPC || code == PM_ERR_PMDAREADY)
		return wants_good_body(call->want);
	answer->status = r == 0 && is_error ? channel_status_of(code, call->want) : r;
	return false;
}

/* An agent at fault ends first: its end is reported with the reply (docs/spec/pdu.md 18). */
static void channel_answer(struct channel *ch, const struct inbox_pdu *pdu)
{
	struct agent *a = ch->agent;
	struct call *call = agent_call_take(a);
	struct answer answer = {.status = PM_ERR_IPC};

	if (call == NULL) {
		channel_botch(ch, "answers what nobody asked");
		return;
	}
	if (channel_judge(call, pdu, &answer)) {
		answer.status = PM_ERR_IPC;
		channel_botch(ch, "gives an answer that does not fit the question");
	}
	if (call->request != NULL)
		call_answer(call, &answer);
	agent_call_free(a, call);
}

static void channel_pdu(struct channel *ch, const struct inbox_pdu *pdu)
{
	int code = 0;

	if (pdu->header.type == PDU_ERROR)
		error_code(pdu, &code);
	server_received(ch->agent->server, ch->from_fd, pdu->header.type, code);
	if (ch->agent->state == AGENT_STARTING)
		channel_hello(ch, pdu);
	else if (!channel_readiness(ch, code))
		channel_answer(ch, pdu);
}

/* A socket without a listener yet is tried again by the tick. */
static bool channel_retry(struct channel *ch)
{
	struct agent *a = ch->agent;

	if (a->state != AGENT_STARTING || a->config->kind != CONFIG_SOCKET)
		return false;
	a->impl = NULL;
	channel_free(ch);
	loop_want_tick(&a->server->loop);
	return true;
}

void channel_read(struct channel *ch)
{
	struct server *server = ch->agent->server;
	struct inbox_pdu pdu;
	long n = inbox_receive(&ch->in, ch->from_fd, &server->loop.shared, CHANNEL_READ_MAX);
	int r;

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		if (!channel_retry(ch))
			channel_lost(ch, n == 0 ? PM_ERR_IPC : (int)n);
		return;
	}
	ch->agent->received_ms = loop_run_ms(&server->loop);
	do {
		r = inbox_take(&ch->in, AGENT_PDU_MAX, &pdu);
		if (r > 0)
			channel_pdu(ch, &pdu);
	} while (r > 0 && ch->agent != NULL);
	if (ch->agent == NULL)
		return;
	if (r < 0 || inbox_settle(&ch->in) < 0)
		channel_botch(ch, "sends what is no PDU");
}

static void channel_from_ready(uv_poll_t *handle, int status, int events)
{
	struct channel *ch = handle->data;

	if (ch->agent != NULL)
		channel_read(ch);
}
