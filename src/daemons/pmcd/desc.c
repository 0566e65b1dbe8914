/* desc - see desc.h. */
#include "daemons/pmcd/desc.h"

#include <errno.h>

#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"

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
