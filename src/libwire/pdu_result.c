/* pdu_result - RESULT and HIGHRES_RESULT as bodies; their value sets are vset.h's business. */
#include "libvalue/vset.h"
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"
#include "libwire/pdu_vset.h"

void pdu_get_result(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_result *result = &body->result;

	result->sec = get_i32(&in->r);
	result->frac = get_i32(&in->r);
	result->numpmid = pdu_in_count(in, 0, VSET_HEAD);
	result->vsets = vset_get_all(in, result->numpmid);
}

void pdu_get_highres_result(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_result *result = &body->result;

	result->numpmid = get_u32(&in->r);
	result->sec = get_i64(&in->r);
	result->frac = get_i64(&in->r);
	if (result->numpmid > reader_left(&in->r) / VSET_HEAD)
		reader_fail(&in->r);
	result->vsets = vset_get_all(in, result->numpmid);
}

static void put_vsets(struct pdu_out *out, const struct pdu_result *result)
{
	struct vset_len total = {0, 0};
	struct vset_cursor cursor;

	for (uint32_t i = 0; i < result->numpmid && total.sets <= PDU_PEER_MAX; i++) {
		if (!vset_wire_len(&result->vsets[i], &total))
			pdu_out_fail(out, -EINVAL);
	}
	if (!vset_cursor_init(&cursor, out, &total))
		return;
	for (uint32_t i = 0; i < result->numpmid; i++)
		vset_wire_put(&cursor, result->vsets[i].pmid, &result->vsets[i]);
}

void pdu_put_result(struct pdu_out *out, const union pdu_body *body)
{
	put_low32(out, body->result.sec);
	put_low32(out, body->result.frac);
	put_u32(out, body->result.numpmid);
	put_vsets(out, &body->result);
}

void pdu_put_highres_result(struct pdu_out *out, const union pdu_body *body)
{
	put_u32(out, body->result.numpmid);
	put_i64(out, body->result.sec);
	put_i64(out, body->result.frac);
	put_vsets(out, &body->result);
}
