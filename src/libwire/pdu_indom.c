/* pdu_indom - INSTANCE_REQ and INSTANCE: which instances a domain has. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

enum { INSTANCE_ENTRY_MIN = 8 };

void pdu_get_instance_req(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_instance_req *req = &body->instance_req;

	req->indom = get_u32(&in->r);
	get_u64(&in->r); /* unused */
	req->inst = get_i32(&in->r);
	req->name = pdu_in_str(in);
}

void pdu_put_instance_req(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_instance_req *req = &body->instance_req;

	put_u32(out, req->indom);
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

void pdu_put_instance(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_instance *instance = &body->instance;

	put_u32(out, instance->indom);
	put_u32(out, instance->numinst);
	for (uint32_t i = 0; i < instance->numinst && out->err == 0; i++) {
		put_i32(out, instance->insts[i].inst);
		put_str(out, instance->insts[i].name);
	}
}
