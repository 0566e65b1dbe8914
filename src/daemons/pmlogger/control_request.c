/* control_request - see control_client.h. */
#include "daemons/pmlogger/control_client.h"

#include <errno.h>
#include <stdlib.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>

#include "daemons/pmlogger/config.h"
#include "daemons/pmlogger/control_listen.h"
#include "daemons/pmlogger/control_recorder.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"

enum {
	VERSION_OLDEST = 2,
	CRED_VERSION = 1,
	REQUEST_QA_OFF = 100,
	REQUEST_QA_DELAY = 101,
};

struct control_call {
	struct control_client *client; /* NULL: it has gone */
	bool waits;                    /* the logger's answer did not come at once */
};

/* An answer that is a number. */
static int request_tell(struct control_client *c, int code)
{
	return pdu_encode_error(&c->out, 0, code);
}

/* ---- CREDS: no answer ----------------------------------------------------------------------- */

static int serve_creds(struct control_client *c, const union pdu_body *body)
{
	for (uint32_t i = 0; i < body->creds.numcred; i++) {
		uint32_t word = body->creds.creds[i];

		if (word >> 24 == CRED_VERSION)
			c->version = (int)(word >> 16 & 0xff);
	}
	return 0;
}

/* ---- LOG_CONTROL ---------------------------------------------------------------------------- */

static void put_answer(struct control_client *c, int err, const struct wire_vset *sets, uint32_t n)
{
	const union pdu_body body = {.result = {.numpmid = n, .vsets = sets}};
	int r = err;

	if (r == 0)
		r = pdu_encode(&c->out, PDU_RESULT, 0, &body);
	if (r == 0 && buffer_pending(&c->out) > CONTROL_ANSWER_MAX) {
		buffer_trim(&c->out, 0);
		r = PM_ERR_TOOBIG;
	}
	if (r < 0)
		request_tell(c, r == -EINVAL && err == 0 ? PM_ERR_TOOBIG : r);
}

static void request_answered(void *arg, int err, const struct wire_vset *sets, uint32_t n)
{
	struct control_call *call = arg;
	struct control_client *c = call->client;
	bool waits = call->waits;

	free(call);
	if (c == NULL)
		return;
	c->call = NULL;
	put_answer(c, err, sets, n);
	/* Else the caller is still at it. */
	if (waits)
		c->answered(c);
}

static int serve_control(struct control_client *c, const union pdu_body *body)
{
	const struct pdu_log_control *request = &body->log_control;
	struct control_call *call;

	if ((control_access_op(request) & c->denied) != 0)
		return request_tell(c, PM_ERR_PERMISSION);
	call = calloc(1, sizeof(*call));
	if (call == NULL)
		return request_tell(c, -ENOMEM);
	call->client = c;
	c->call = call;
	c->owner->recorder->control(c->owner->logger, request, c->name, request_answered, call);
	if (c->call != NULL) {
		c->call->waits = true;
		c->state = CONTROL_WAITS;
	}
	return 0;
}

void control_request_forget(struct control_client *c)
{
	if (c->call != NULL)
		c->call->client = NULL;
	c->call = NULL;
}

/* ---- LOG_REQUEST ---------------------------------------------------------------------------- */

static int serve_status(struct control_client *c)
{
	union pdu_body body = {.log_status = {0}};

	if (c->version < VERSION_OLDEST || c->version > c->owner->max_version)
		return PM_ERR_IPC;
	c->owner->recorder->status(c->owner->logger, &body.log_status);
	return pdu_encode(
	    &c->out, c->version == VERSION_OLDEST ? PDU_LOG_STATUS_V2 : PDU_LOG_STATUS, 0, &body);
}

static int serve_new_volume(struct control_client *c)
{
	return request_tell(c, c->owner->recorder->new_volume(c->owner->logger, "pmlc request"));
}

/* Nothing is kept back that could be flushed. */
static int serve_sync(struct control_client *c)
{
	return request_tell(c, 0);
}

static int serve_qa_off(struct control_client *c)
{
	c->qa = false;
	return request_tell(c, 0);
}

static int serve_qa_delay(struct control_client *c)
{
	c->qa = true;
	return request_tell(c, 0);
}

/* clang-format off */
static const struct {
	int32_t request;
	unsigned int op; /* that it takes */
	int (*serve)(struct control_client *c);
} requests[] = {
	{ LOG_REQUEST_NEWVOLUME, CONFIG_OP_MANDATORY, serve_new_volume },
	{ LOG_REQUEST_STATUS,    0,                   serve_status },
	{ LOG_REQUEST_SYNC,      0,                   serve_sync },
	{ REQUEST_QA_OFF,        CONFIG_OP_MANDATORY, serve_qa_off },
	{ REQUEST_QA_DELAY,      CONFIG_OP_MANDATORY, serve_qa_delay },
};
/* clang-format on */

static int serve_request(struct control_client *c, const union pdu_body *body)
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		if (requests[i].request != body->log_request.request)
			continue;
		if ((requests[i].op & c->denied) != 0)
			return request_tell(c, PM_ERR_PERMISSION);
		return requests[i].serve(c);
	}
	return PM_ERR_IPC;
}

/* ---- All ------------------------------------------------------------------------------------ */

/* clang-format off */
static const struct {
	uint32_t type;
	int (*serve)(struct control_client *c, const union pdu_body *body);
} kinds[] = {
	{ PDU_CREDS,       serve_creds },
	{ PDU_LOG_CONTROL, serve_control },
	{ PDU_LOG_REQUEST, serve_request },
};
/* clang-format on */

int control_request_serve(struct control_client *c, const uint8_t *pdu, size_t len)
{
	struct arena mem = ARENA_INIT;
	struct pdu_header header;
	union pdu_body body;
	int r = pdu_header_get(pdu, &header);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].type != header.type)
			continue;
		r = pdu_decode(pdu, len, &mem, &body);
		if (r == 0)
			r = kinds[i].serve(c, &body);
		arena_done(&mem);
		return r;
	}
	return PM_ERR_IPC;
}
