/* pdu_text - TEXT_REQ and TEXT: help for a metric or an instance domain. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

void pdu_get_text_req(struct pdu_in *in, union pdu_body *body)
{
	body->text_req.ident = get_u32(&in->r);
	body->text_req.type = get_i32(&in->r);
}

void pdu_put_text_req(struct pdu_out *out, const union pdu_body *body)
{
	put_u32(out, body->text_req.ident);
	put_i32(out, body->text_req.type);
}

/* The stock collector answers with ident in its host's byte order (5.9): readers ignore it. */
void pdu_get_text(struct pdu_in *in, union pdu_body *body)
{
	body->text.ident = get_u32(&in->r);
	body->text.text = pdu_in_str(in);
}

void pdu_put_text(struct pdu_out *out, const union pdu_body *body)
{
	put_u32(out, body->text.ident);
	put_str(out, body->text.text);
}
