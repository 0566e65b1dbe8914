/* pdu_desc - DESC_REQ, DESC, DESC_IDS and DESCS: what a metric is. */
#include "libvalue/desc.h"
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

static pmDesc get_desc(struct pdu_in *in)
{
	const uint8_t *p = get_bytes(&in->r, DESC_LEN);

	return p != NULL ? desc_load(p) : (pmDesc){.pmid = 0};
}

static void put_desc(struct pdu_out *out, const pmDesc *desc)
{
	uint8_t *p = pdu_out_room(out, DESC_LEN);

	if (p != NULL)
		desc_store(p, desc);
}

void pdu_get_desc_req(struct pdu_in *in, union pdu_body *body)
{
	body->desc_req.pmid = get_u32(&in->r);
}

void pdu_put_desc_req(struct pdu_out *out, const union pdu_body *body)
{
	put_u32(out, body->desc_req.pmid);
}

void pdu_get_desc(struct pdu_in *in, union pdu_body *body)
{
	body->desc.desc = get_desc(in);
}

void pdu_put_desc(struct pdu_out *out, const union pdu_body *body)
{
	put_desc(out, &body->desc.desc);
}

void pdu_get_desc_ids(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_desc_ids *ids = &body->desc_ids;

	if (get_i32(&in->r) != -1)
		reader_fail(&in->r);
	ids->numpmid = pdu_in_count(in, 1, sizeof(pmID));
	ids->pmids = pdu_in_words(in, ids->numpmid);
}

void pdu_put_desc_ids(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_desc_ids *ids = &body->desc_ids;

	if (ids->numpmid == 0)
		pdu_out_fail(out, -EINVAL);
	put_i32(out, -1);
	put_u32(out, ids->numpmid);
	put_words(out, ids->pmids, ids->numpmid);
}

void pdu_get_descs(struct pdu_in *in, union pdu_body *body)
{
	uint32_t n = pdu_in_count(in, 0, DESC_LEN);
	pmDesc *descs = pdu_in_alloc(in, n, sizeof(*descs));

	if (descs == NULL)
		return;
	for (uint32_t i = 0; i < n; i++)
		descs[i] = get_desc(in);
	body->descs.numdesc = n;
	body->descs.descs = descs;
}

void pdu_put_descs(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_descs *descs = &body->descs;

	put_u32(out, descs->numdesc);
	for (uint32_t i = 0; i < descs->numdesc && out->err == 0; i++)
		put_desc(out, &descs->descs[i]);
}
