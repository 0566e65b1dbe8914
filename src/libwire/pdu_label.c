/*
 * pdu_label - LABEL_REQ and LABEL: what is known about a metric beside its values.
 *
 *     header  ident type 0 nsets | set: inst nlabels offset length, labels | set | … | texts
 *
 * The texts fill the end of the PDU, one behind the other. A set says where its own lies; none of
 * them may reach into the sets, and together they are exactly what is there.
 */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

enum {
	LABEL_HEAD = 28,
	LABEL_SET_LEN = 16,
	LABEL_LEN = 8,
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

static bool label_inside(const pmLabel *label, uint32_t json_len)
{
	return label->name + label->namelen <= json_len &&
	       label->value + label->valuelen <= json_len;
}

static const pmLabel *get_labels(struct pdu_in *in, int32_t n, uint32_t json_len)
{
	pmLabel *labels;

	if (n <= 0)
		return NULL;
	if (n > PDU_LABELS_MAX || (size_t)n > reader_left(&in->r) / LABEL_LEN)
		reader_fail(&in->r);
	labels = pdu_in_alloc(in, (size_t)n, sizeof(*labels));
	if (labels == NULL)
		return NULL;
	for (int32_t i = 0; i < n; i++) {
		labels[i].name = get_u16(&in->r);
		labels[i].namelen = get_u8(&in->r);
		labels[i].flags = get_u8(&in->r);
		labels[i].value = get_u16(&in->r);
		labels[i].valuelen = get_u16(&in->r);
		if (!label_inside(&labels[i], json_len))
			reader_fail(&in->r);
	}
	return labels;
}

/* One set; its text is known to lie inside the PDU, not yet that it lies behind the sets. */
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
	set->labels = get_labels(in, set->nlabels, len);
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
	size_t len = LABEL_SET_LEN;

	if (set->nlabels > PDU_LABELS_MAX || set->json.len > PDU_LABEL_JSON_MAX)
		return 0;
	for (int32_t i = 0; i < set->nlabels; i++) {
		if (!label_inside(&set->labels[i], set->json.len))
			return 0;
		len += LABEL_LEN;
	}
	return len;
}

static void put_labelset(struct pdu_out *out, const struct wire_labelset *set, size_t offset)
{
	put_i32(out, set->inst);
	put_i32(out, set->nlabels);
	put_u32(out, (uint32_t)offset);
	put_u32(out, set->json.len);
	for (int32_t i = 0; i < set->nlabels; i++) {
		const pmLabel *label = &set->labels[i];

		put_u16(out, label->name);
		put_u16(out, (uint16_t)(label->namelen << 8 | label->flags));
		put_u16(out, label->value);
		put_u16(out, label->valuelen);
	}
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
