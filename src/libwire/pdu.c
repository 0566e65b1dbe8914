/* pdu - see pdu.h: whole PDUs. The rows of the table read and write the bytes between header and
 * end. */
#include "libwire/pdu.h"

#include <string.h>

#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

int pdu_header_get(const uint8_t *buf, struct pdu_header *ret_header)
{
	uint32_t len = load_be32(buf);
	uint32_t type = load_be32(buf + 4);

	if (len < PDU_HEADER_LEN || len > INT32_MAX || type > INT32_MAX)
		return PM_ERR_IPC;
	ret_header->len = len;
	ret_header->type = type;
	ret_header->from = (int32_t)load_be32(buf + 8);
	return 0;
}

int pdu_decode(const void *pdu, size_t len, struct arena *mem, union pdu_body *ret_body)
{
	struct pdu_in in = {.pdu = pdu, .len = len, .mem = mem};
	const struct pdu_kind *kind;
	struct pdu_header header;
	union pdu_body body;

	if (len < PDU_HEADER_LEN || pdu_header_get(pdu, &header) < 0 || header.len != len)
		return PM_ERR_IPC;
	kind = pdu_kind(header.type);
	if (kind == NULL || kind->get == NULL || len < kind->min_len)
		return PM_ERR_IPC;
	memset(&body, 0, sizeof(body));
	reader_init(&in.r, in.pdu + PDU_HEADER_LEN, len - PDU_HEADER_LEN, PM_ERR_IPC);
	kind->get(&in, &body);
	if (in.r.pos != in.r.end)
		reader_fail(&in.r); /* bytes left over are as wrong as bytes missing */
	if (in.r.err != 0)
		return in.r.err;
	*ret_body = body;
	return 0;
}

int pdu_encode(struct buffer *out, enum pdu_type type, int32_t from, const union pdu_body *body)
{
	const struct pdu_kind *kind = pdu_kind(type);
	struct pdu_out pdu;

	if (kind == NULL || kind->put == NULL)
		return -EINVAL;
	pdu_out_begin(&pdu, out, type, from);
	kind->put(&pdu, body);
	return pdu_out_end(&pdu);
}

int pdu_encode_error(struct buffer *out, int32_t from, int32_t code)
{
	union pdu_body body = {.error = {.code = code}};

	return pdu_encode(out, PDU_ERROR, from, &body);
}
