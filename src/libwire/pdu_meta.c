/* pdu_meta - PDUs about metrics and instances: descriptors, instances, texts, names, labels. */
#include "libvalue/desc.h"
#include "libwire/pdu_inner.h"

/* ---- DESC_REQ, DESC, DESC_IDS and DESCS: descriptors ---- */

static pmDesc get_desc(struct pdu_in *in)
{
	const uint8_t *p = get_bytes(&in->r, DESC_LEN);

	return p != NULL ? desc_load(p) : (pmDesc){.pmid = 0};
}

static void put_desc(struct frame_out *out, const pmDesc *desc)
{
	uint8_t *p = frame_out_room(out, DESC_LEN);

	if (p != NULL)
		desc_store(p, desc);
}

void pdu_get_desc_req(struct pdu_in *in, union pdu_body *body)
{
	body->desc_req.pmid = get_u32(&in->r);
}

void pdu_put_desc_req(struct frame_out *out, const union pdu_body *body)
{
	frame_put_u32(out, body->desc_req.pmid);
}

void pdu_get_desc(struct pdu_in *in, union pdu_body *body)
{
	body->desc.desc = get_desc(in);
}

void pdu_put_desc(struct frame_out *out, const union pdu_body *body)
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

void pdu_put_desc_ids(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_desc_ids *ids = &body->desc_ids;

	if (ids->numpmid == 0)
		frame_out_fail(out, -EINVAL);
	put_i32(out, -1);
	frame_put_u32(out, ids->numpmid);
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

void pdu_put_descs(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_descs *descs = &body->descs;

	frame_put_u32(out, descs->numdesc);
	for (uint32_t i = 0; i < descs->numdesc && out->err == 0; i++)
		put_desc(out, &descs->descs[i]);
}

/* ---- INSTANCE_REQ and INSTANCE: the instances of a domain ---- */

enum { INSTANCE_ENTRY_MIN = 8 };

void pdu_get_instance_req(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_instance_req *req = &body->instance_req;

	req->indom = get_u32(&in->r);
	get_u64(&in->r); /* unused */
	req->inst = get_i32(&in->r);
	req->name = pdu_in_str(in);
}

void pdu_put_instance_req(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_instance_req *req = &body->instance_req;

	frame_put_u32(out, req->indom);
	put_u64(out, 0);
	put_i32(out, req->inst);
	put_str(out, req->name);
}

void pdu_get_instance(struct pdu_in *in, union pdu_body *body)
{
	struct wire_inst *insts;
	uint32_t n;

	body->instance.indom = get_u32(&in->r);
	n = pdu_in_count(in, 0, INSTANCE_ENTRY_MIN);
	insts = pdu_in_alloc(in, n, sizeof(*insts));
	if (insts == NULL)
		return;
	for (uint32_t i = 0; i < n && in->r.err == 0; i++) {
		insts[i].inst = get_i32(&in->r);
		insts[i].name = pdu_in_str(in);
	}
	body->instance.numinst = n;
	body->instance.insts = insts;
}

void pdu_put_instance(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_instance *instance = &body->instance;

	frame_put_u32(out, instance->indom);
	frame_put_u32(out, instance->numinst);
	for (uint32_t i = 0; i < instance->numinst && out->err == 0; i++) {
		put_i32(out, instance->insts[i].inst);
		put_str(out, instance->insts[i].name);
	}
}

/* ---- TEXT_REQ and TEXT: help for a metric or an instance domain ---- */

void pdu_get_text_req(struct pdu_in *in, union pdu_body *body)
{
	body->text_req.ident = get_u32(&in->r);
	body->text_req.type = get_i32(&in->r);
}

void pdu_put_text_req(struct frame_out *out, const union pdu_body *body)
{
	frame_put_u32(out, body->text_req.ident);
	put_i32(out, body->text_req.type);
}

/* The stock collector answers with ident in its host's byte order (5.9): readers ignore it. */
void pdu_get_text(struct pdu_in *in, union pdu_body *body)
{
	body->text.ident = get_u32(&in->r);
	body->text.text = pdu_in_str(in);
}

void pdu_put_text(struct frame_out *out, const union pdu_body *body)
{
	frame_put_u32(out, body->text.ident);
	put_str(out, body->text.text);
}

/* ---- PMNS_IDS, PMNS_NAMES, PMNS_CHILD and PMNS_TRAVERSE: names and identifiers ---- */

void pdu_get_pmns_ids(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_pmns_ids *ids = &body->pmns_ids;

	ids->status = get_i32(&in->r);
	ids->numpmid = pdu_in_count(in, 0, sizeof(pmID));
	ids->pmids = pdu_in_words(in, ids->numpmid);
}

void pdu_put_pmns_ids(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_pmns_ids *ids = &body->pmns_ids;

	put_i32(out, ids->status);
	frame_put_u32(out, ids->numpmid);
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

void pdu_put_pmns_names(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_pmns_names *list = &body->pmns_names;
	uint64_t sum = list->numname;

	for (uint32_t i = 0; i < list->numname; i++)
		sum += list->names[i].len;
	if (sum > PDU_PEER_MAX || (list->numname > 0 && list->names[list->numname - 1].len == 0)) {
		frame_out_fail(out, -EINVAL);
		return;
	}
	frame_put_u32(out, (uint32_t)sum);
	frame_put_u32(out, list->status != NULL ? list->numname : 0);
	frame_put_u32(out, list->numname);
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

void pdu_put_pmns_child(struct frame_out *out, const union pdu_body *body)
{
	put_i32(out, body->pmns_child.subtype);
	put_str(out, body->pmns_child.name);
}

/*
 * ---- labels ----
 *
 * LABEL_REQ and LABEL: the metadata of a metric beside its values.
 *
 *     header  ident type 0 nsets | set: inst nlabels offset length, labels | set | … | texts
 *
 * The texts fill the end of the PDU, one after the other. A set has the offset of its own text; no
 * text may overlap the sets, and together the texts fill the rest exactly.
 */

enum {
	LABEL_HEAD = 28,
	LABEL_SET_LEN = 16,
};

void pdu_get_label_req(struct pdu_in *in, union pdu_body *body)
{
	body->label_req.ident = get_u32(&in->r);
	body->label_req.type = get_i32(&in->r);
}

void pdu_put_label_req(struct frame_out *out, const union pdu_body *body)
{
	frame_put_u32(out, body->label_req.ident);
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
	if (set->nlabels > PDU_LABELS_MAX || set->json.len > PDU_LABEL_JSON_MAX || !label_fits(set))
		return 0;
	return LABEL_SET_LEN + label_len(set);
}

static void put_labelset(struct frame_out *out, const struct wire_labelset *set, size_t offset)
{
	uint8_t *p;

	put_i32(out, set->inst);
	put_i32(out, set->nlabels);
	frame_put_u32(out, (uint32_t)offset);
	frame_put_u32(out, set->json.len);
	p = frame_out_room(out, label_len(set));
	if (p != NULL)
		label_put(p, set);
}

void pdu_put_label(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_label *label = &body->label;
	size_t offset = LABEL_HEAD;

	for (uint32_t i = 0; i < label->numset; i++) {
		size_t len = labelset_len(&label->sets[i]);

		if (len == 0 || offset > PDU_PEER_MAX) {
			frame_out_fail(out, -EINVAL);
			return;
		}
		offset += len;
	}
	frame_put_u32(out, label->ident);
	put_i32(out, label->type);
	frame_put_u32(out, 0);
	frame_put_u32(out, label->numset);
	for (uint32_t i = 0; i < label->numset && out->err == 0; i++) {
		put_labelset(out, &label->sets[i], offset);
		offset += label->sets[i].json.len;
	}
	for (uint32_t i = 0; i < label->numset; i++)
		frame_put_bytes(out, label->sets[i].json.s, label->sets[i].json.len);
}
