/* pdu_pmns - PMNS_IDS, PMNS_NAMES, PMNS_CHILD and PMNS_TRAVERSE: names and identifiers. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

void pdu_get_pmns_ids(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_pmns_ids *ids = &body->pmns_ids;

	ids->status = get_i32(&in->r);
	ids->numpmid = pdu_in_count(in, 0, sizeof(pmID));
	ids->pmids = pdu_in_words(in, ids->numpmid);
}

void pdu_put_pmns_ids(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_pmns_ids *ids = &body->pmns_ids;

	put_i32(out, ids->status);
	put_u32(out, ids->numpmid);
	put_words(out, ids->pmids, ids->numpmid);
}

/* One entry; budget is what the names may still take by the PDU's own sum. */
static struct wire_str get_name(struct pdu_in *in, uint32_t *budget)
{
	int32_t len = get_i32(&in->r);

	if (len < 0 || (uint32_t)len >= *budget)
		reader_fail(&in->r);
	else
		*budget -= (uint32_t)len + 1;
	/* Stock decoders want a word after each length, so an empty name can't be the last (5.12).
	 */
	reader_need(&in->r, 4);
	return pdu_in_padded(in, len);
}

void pdu_get_pmns_names(struct pdu_in *in, union pdu_body *body)
{
	uint32_t budget = get_u32(&in->r);
	uint32_t num_status = get_u32(&in->r);
	size_t entry_min = num_status > 0 ? 8 : 4;
	uint32_t n = pdu_in_count(in, 0, entry_min);
	struct wire_str *names;
	int32_t *status = NULL;

	if (budget > in->len || (num_status != 0 && num_status != n))
		reader_fail(&in->r);
	names = pdu_in_alloc(in, n, sizeof(*names));
	if (num_status > 0)
		status = pdu_in_alloc(in, n, sizeof(*status));
	for (uint32_t i = 0; i < n && in->r.err == 0; i++) {
		if (status != NULL)
			status[i] = get_i32(&in->r);
		names[i] = get_name(in, &budget);
	}
	body->pmns_names.numname = n;
	body->pmns_names.names = names;
	body->pmns_names.status = status;
}

void pdu_put_pmns_names(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_pmns_names *list = &body->pmns_names;
	uint64_t sum = list->numname;

	for (uint32_t i = 0; i < list->numname; i++)
		sum += list->names[i].len;
	if (sum > PDU_PEER_MAX || (list->numname > 0 && list->names[list->numname - 1].len == 0)) {
		pdu_out_fail(out, -EINVAL);
		return;
	}
	put_u32(out, (uint32_t)sum);
	put_u32(out, list->status != NULL ? list->numname : 0);
	put_u32(out, list->numname);
	for (uint32_t i = 0; i < list->numname; i++) {
		if (list->status != NULL)
			put_i32(out, list->status[i]);
		put_str(out, list->names[i]);
	}
}

void pdu_get_pmns_child(struct pdu_in *in, union pdu_body *body)
{
	body->pmns_child.subtype = get_i32(&in->r);
	body->pmns_child.name = pdu_in_str(in);
}

void pdu_put_pmns_child(struct pdu_out *out, const union pdu_body *body)
{
	put_i32(out, body->pmns_child.subtype);
	put_str(out, body->pmns_child.name);
}
