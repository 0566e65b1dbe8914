/* pdu_desc - DESC_REQ, DESC, DESC_IDS and DESCS: what a metric is. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

enum { DESC_LEN = 20 };

/* n bits of a word from bit low up; the second keeps the sign. */
static unsigned int bits(uint32_t word, unsigned int low, unsigned int n)
{
	return word >> low & ((1u << n) - 1);
}

static int signed_bits(uint32_t word, unsigned int low, unsigned int n)
{
	return (int32_t)(word << (32 - low - n)) >> (32 - n);
}

static pmUnits units_from_word(uint32_t word)
{
	return (pmUnits){
	    .dimSpace = signed_bits(word, 28, 4),
	    .dimTime = signed_bits(word, 24, 4),
	    .dimCount = signed_bits(word, 20, 4),
	    .scaleSpace = bits(word, 16, 4),
	    .scaleTime = bits(word, 12, 4),
	    .scaleCount = signed_bits(word, 8, 4),
	    .pad = bits(word, 0, 8),
	};
}

static uint32_t units_to_word(pmUnits units)
{
	return (uint32_t)(units.dimSpace & 0xf) << 28 | (uint32_t)(units.dimTime & 0xf) << 24 |
	       (uint32_t)(units.dimCount & 0xf) << 20 | (uint32_t)units.scaleSpace << 16 |
	       (uint32_t)units.scaleTime << 12 | (uint32_t)(units.scaleCount & 0xf) << 8 |
	       (uint32_t)units.pad;
}

static pmDesc get_desc(struct pdu_in *in)
{
	pmDesc desc;

	desc.pmid = get_u32(&in->r);
	desc.type = get_i32(&in->r);
	desc.indom = get_u32(&in->r);
	desc.sem = get_i32(&in->r);
	desc.units = units_from_word(get_u32(&in->r));
	return desc;
}

static void put_desc(struct pdu_out *out, const pmDesc *desc)
{
	put_u32(out, desc->pmid);
	put_i32(out, desc->type);
	put_u32(out, desc->indom);
	put_i32(out, desc->sem);
	put_u32(out, units_to_word(desc->units));
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
