/* pdu_session - ERROR, CREDS and ATTR: how a connection begins, fails and proves itself. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

/*
 * The first ERROR of a connection carries PM_ERR_* codes in an older numbering (docs/spec/pdu.md
 * 5.1): -12345 travels as -1000, and what arrives at or below -1000 is meant.
 */
enum {
	ERROR_SHIFT = 11345,
	ERROR_FIRST = -12345,
	ERROR_FIRST_SHIFTED = ERROR_FIRST + ERROR_SHIFT,
};

void pdu_get_error(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_error *error = &body->error;

	error->code = get_i32(&in->r);
	if (reader_left(&in->r) == 0)
		return;
	error->extended = true;
	error->datum = get_u32(&in->r);
	if (error->code < INT32_MIN + ERROR_SHIFT)
		reader_fail(&in->r);
	else if (error->code <= ERROR_FIRST_SHIFTED)
		error->code -= ERROR_SHIFT;
}

void pdu_put_error(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_error *error = &body->error;

	if (!error->extended) {
		put_i32(out, error->code);
		return;
	}
	put_i32(out, error->code <= ERROR_FIRST ? error->code + ERROR_SHIFT : error->code);
	put_u32(out, error->datum);
}

void pdu_get_creds(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_creds *creds = &body->creds;

	creds->numcred = pdu_in_count(in, 0, 4);
	if (creds->numcred > PDU_CREDS_MAX)
		reader_fail(&in->r);
	creds->creds = pdu_in_words(in, creds->numcred);
}

void pdu_put_creds(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_creds *creds = &body->creds;

	if (creds->numcred > PDU_CREDS_MAX)
		pdu_out_fail(out, -EINVAL);
	put_u32(out, creds->numcred);
	put_words(out, creds->creds, creds->numcred);
}

static uint32_t attr_max(int32_t key)
{
	return key == PDU_ATTR_NONE ? PDU_SASL_MAX : PDU_ATTR_MAX;
}

void pdu_get_attr(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_attr *attr = &body->attr;
	size_t len;

	attr->key = get_i32(&in->r);
	len = reader_left(&in->r);
	if (len > attr_max(attr->key))
		reader_fail(&in->r);
	attr->value.s = get_bytes(&in->r, len);
	attr->value.len = (uint32_t)len;
}

void pdu_put_attr(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_attr *attr = &body->attr;

	if (attr->value.len > attr_max(attr->key))
		pdu_out_fail(out, -EINVAL);
	put_i32(out, attr->key);
	put_bytes(out, attr->value.s, attr->value.len);
}
