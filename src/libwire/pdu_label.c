/*
 * pdu_label - LABEL_REQ and LABEL: the metadata of a metric beside its values.
 *
 *     header  ident type 0 nsets | set: inst nlabels offset length, labels | set | … | texts
 *
 * The texts fill the end of the PDU, one after the other. A set has the offset of its own text; no
 * text may overlap the sets, and together the texts fill the rest exactly.
 */
#include "libvalue/label.h"
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

enum {
	LABEL_HEAD = 28,
	LABEL_SET_LEN = 16,
};

void pdu_get_label_req(struct pdu_in *in, union pdu_body *body)
{
	body->label_req.ident = get_u32(&in->r);
	body->label_req.type = get_i32(&in->r);
}

void pdu_put_label_req(struct pdu_out *out, const union pdu_body *body)
{
	put_u32(out, body->label_req.ident);
	put_i32(out, body->label_req.type);
}

/* One set; its text is known to be inside the PDU, but not yet to be after the sets. */
static void get_labelset(struct pdu_in *in, struct wire_labelset *set)
{
	uint32_t offset, len;

	set->inst = get_i32(&in->r);
	set->nlabels = get_i32(&in->r);
	offset = get_u32(&in->r);
	len = get_u32(&in->r);
	if (len > PDU_LABEL_JSON_MAX || offset > in->len || len > in->len - offset)
		reader_fail(&in->r);
	if (in->r.err != 0)
		return;
	set->json.s = (const char *)in->pdu + offset;
	set->json.len = len;
	if (set->nlabels > PDU_LABELS_MAX)
		reader_fail(&in->r);
	set->labels = label_get(&in->r, in->mem, set->nlabels, len);
}

void pdu_get_label(struct pdu_in *in, union pdu_body *body)
{
	struct wire_labelset *sets;
	size_t total = 0;
	uint32_t n;

	body->label.ident = get_u32(&in->r);
	body->label.type = get_i32(&in->r);
	get_u32(&in->r); /* padding */
	n = pdu_in_count(in, 0, LABEL_SET_LEN);
	sets = pdu_in_alloc(in, n, sizeof(*sets));
	for (uint32_t i = 0; i < n && in->r.err == 0; i++)
		get_labelset(in, &sets[i]);
	for (uint32_t i = 0; i < n && in->r.err == 0; i++) {
		if (sets[i].json.len > 0 && (const uint8_t *)sets[i].json.s < in->r.pos)
			reader_fail(&in->r);
		total += sets[i].json.len;
	}
	get_bytes(&in->r, total);
	body->label.numset = n;
	body->label.sets = sets;
}

/* Bytes of a set without its text; 0 if no PDU can carry it. */
static size_t labelset_len(const struct wire_labelset *set)
{
	if (set->nlabels > PDU_LABELS_MAX || set->json.len > PDU_LABEL_JSON_MAX ||
	    !label_fits(set))
		return 0;
	return LABEL_SET_LEN + label_len(set);
}

static void put_labelset(struct pdu_out *out, const struct wire_labelset *set, size_t offset)
{
	uint8_t *p;

	put_i32(out, set->inst);
	put_i32(out, set->nlabels);
	put_u32(out, (uint32_t)offset);
	put_u32(out, set->json.len);
	p = pdu_out_room(out, label_len(set));
	if (p != NULL)
		label_put(p, set);
}

void pdu_put_label(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_label *label = &body->label;
	size_t offset = LABEL_HEAD;

	for (uint32_t i = 0; i < label->numset; i++) {
		size_t len = labelset_len(&label->sets[i]);

		if (len == 0 || offset > PDU_PEER_MAX) {
			pdu_out_fail(out, -EINVAL);
			return;
		}
		offset += len;
	}
	put_u32(out, label->ident);
	put_i32(out, label->type);
	put_u32(out, 0);
	put_u32(out, label->numset);
	for (uint32_t i = 0; i < label->numset && out->err == 0; i++) {
		put_labelset(out, &label->sets[i], offset);
		offset += label->sets[i].json.len;
	}
	for (uint32_t i = 0; i < label->numset; i++)
		put_bytes(out, label->sets[i].json.s, label->sets[i].json.len);
}
