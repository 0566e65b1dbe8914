/*
 * single - requests that one agent answers and the collector passes on: descriptors, instances,
 * help texts, labels, names of a subtree (docs/spec/pmcd.md 9.3).
 */
#include "daemons/pmcd/request.h"

#include <errno.h>

#include "daemons/pmcd/labels.h"
#include "daemons/pmcd/server.h"
#include "libbase/endian_be.h"

enum {
	PDU_FROM_AT = 8, /* offset of the originator in a PDU */
};

/* The agent's PDU as it came, with us as originator. */
static int relay(struct request *req, const struct answer *answer)
{
	struct buffer *out = request_out(req);
	uint32_t len = load_be32(answer->bytes);

	if (out == NULL)
		return 0;
	buffer_put(out, answer->bytes, len);
	if (out->err != 0)
		return out->err;
	store_be32(out->data + out->len - len + PDU_FROM_AT, 0);
	request_sent(req, answer->type);
	return 0;
}

/* Instances that were not requested are left out (docs/spec/pmcd.md 9.3). True if there was any. */
static bool leave_out(const struct request *req, enum pdu_type type, union pdu_body *body)
{
	bool wants_status = req->type == PDU_PMNS_CHILD && req->body.pmns_child.subtype != 0;

	if (type == PDU_PMNS_NAMES && body->pmns_names.status != NULL && !wants_status) {
		body->pmns_names.status = NULL;
		return true;
	}
	if (type == PDU_LABEL && body->label.numset > 1 && body->label.type != PM_LABEL_INSTANCES) {
		body->label.numset = 1;
		return true;
	}
	return false;
}

static void single_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	int32_t *status = req->parts;
	union pdu_body body = answer->body;

	if (answer->status < 0)
		*status = answer->status;
	else if (leave_out(req, answer->type, &body) || answer->bytes == NULL)
		*status = request_reply(req, answer->type, &body);
	else
		*status = relay(req, answer);
}

int single_finish(struct request *req)
{
	const int32_t *status = req->parts;

	return *status;
}

int single_ask_agent(struct request *req, struct agent *a, uint32_t want)
{
	struct question q = {.type = req->type,
			     .body = &req->body,
			     .bytes = req->bytes,
			     .len = req->len,
			     .want = want};

	req->parts = arena_calloc(&req->mem, 1, sizeof(int32_t));
	if (req->parts == NULL)
		return -ENOMEM;
	req->answered = single_answered;
	req->finish = single_finish;
	return agent_ask(a, req, 0, &q);
}

int single_ask(struct request *req, unsigned int domain, int unknown, uint32_t want)
{
	struct agent *a;
	int r = request_route(req, domain, unknown, &a);

	return r < 0 ? r : single_ask_agent(req, a, want);
}

static unsigned int ident_domain(uint32_t ident)
{
	return ident >> 22 & 0x1ff;
}

int single_desc_start(struct request *req)
{
	return single_ask(req, ident_domain(req->body.desc_req.pmid), PM_ERR_PMID, PDU_DESC);
}

int single_instance_start(struct request *req)
{
	return single_ask(req, ident_domain(req->body.instance_req.indom), PM_ERR_INDOM,
			  PDU_INSTANCE);
}

int single_text_start(struct request *req)
{
	const struct pdu_text_req *ask = &req->body.text_req;

	if ((ask->type & (PM_TEXT_PMID | PM_TEXT_INDOM)) == 0)
		return PM_ERR_PMID;
	return single_ask(req, ident_domain(ask->ident), PM_ERR_PMID, PDU_TEXT);
}

/* The name of an unknown domain, by type of label (docs/spec/pmcd.md 9). */
static int label_unknown(int32_t type)
{
	switch (type) {
	case PM_LABEL_DOMAIN:
		return PM_ERR_NOAGENT;
	case PM_LABEL_INDOM:
	case PM_LABEL_INSTANCES:
		return PM_ERR_INDOM;
	case PM_LABEL_CLUSTER:
	case PM_LABEL_ITEM:
		return PM_ERR_PMID;
	default:
		return PM_ERR_TYPE;
	}
}

/* The labels of the context are the collector's own. */
static int reply_context(struct request *req)
{
	struct wire_labelset set;
	union pdu_body reply = {
	    .label = {
		.ident = PM_ID_NULL, .type = req->body.label_req.type, .numset = 1, .sets = &set}};
	int r = labels_of_client(&req->server->labels, req->client, &req->mem, &set);

	return r < 0 ? r : request_reply(req, PDU_LABEL, &reply);
}

int single_label_start(struct request *req)
{
	const struct pdu_label_req *ask = &req->body.label_req;
	unsigned int domain;
	struct agent *a;
	int r;

	if (ask->type == PM_LABEL_CONTEXT)
		return reply_context(req);
	r = label_unknown(ask->type);
	if (r == PM_ERR_TYPE)
		return r;
	domain = ask->type == PM_LABEL_DOMAIN ? ask->ident : ident_domain(ask->ident);
	r = request_route(req, domain, r, &a);
	if (r < 0)
		return r;
	/* Labels are for every instance, whatever the client fetches. */
	if (ask->type == PM_LABEL_INSTANCES)
		r = agent_use_profile(a, req->ctx, 0, NULL);
	return r < 0 ? r : single_ask_agent(req, a, PDU_LABEL);
}

/*
 * DESC_IDS: many descriptors at once, asked of all agents together (docs/spec/pdu.md 5.7)
 */

struct desc_ids {
	pmDesc *descs;
	int32_t status; /* the last failure: the answer when one descriptor alone was asked for */
};

static void desc_answered(struct request *req, unsigned int part, const struct answer *answer)
{
	struct desc_ids *d = req->parts;

	if (answer->status < 0)
		d->status = answer->status;
	else
		d->descs[part] = answer->body.desc.desc;
}

static int desc_finish(struct request *req)
{
	const struct desc_ids *d = req->parts;
	uint32_t n = req->body.desc_ids.numpmid;
	union pdu_body reply = {.descs = {.numdesc = n, .descs = d->descs}};

	if (n == 1 && d->status < 0)
		return d->status;
	return request_reply(req, PDU_DESCS, &reply);
}

static void desc_ask(struct request *req, unsigned int i)
{
	struct desc_ids *d = req->parts;
	pmID pmid = req->body.desc_ids.pmids[i];
	union pdu_body body = {.desc_req = {.pmid = pmid}};
	struct question q = {.type = PDU_DESC_REQ, .body = &body, .want = PDU_DESC};
	struct agent *a;
	int r = request_route(req, pmid >> 22 & 0x1ff, PM_ERR_PMID, &a);

	d->descs[i].pmid = PM_ID_NULL;
	if (r == 0)
		r = agent_ask(a, req, i, &q);
	if (r < 0)
		d->status = r;
}

int desc_ids_start(struct request *req)
{
	uint32_t n = req->body.desc_ids.numpmid;
	struct desc_ids *d = arena_calloc(&req->mem, 1, sizeof(*d));

	if (d == NULL)
		return -ENOMEM;
	d->descs = arena_calloc(&req->mem, n, sizeof(*d->descs));
	if (d->descs == NULL)
		return -ENOMEM;
	req->parts = d;
	req->answered = desc_answered;
	req->finish = desc_finish;
	req->ask_next = desc_ask;
	req->total = n;
	request_pump(req);
	return 0;
}
