/*
 * pdu - see pdu.h: whole PDUs, and the table of their kinds, from whose rows names and rights come
 * too.
 */
#include "libwire/pdu.h"

#include <string.h>

#include "libwire/pdu_inner.h"

/* ---- ERROR, CREDS and ATTR: how a connection begins, fails and proves itself ---- */

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

void pdu_put_error(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_error *error = &body->error;

	if (!error->extended) {
		put_i32(out, error->code);
		return;
	}
	put_i32(out, error->code <= ERROR_FIRST ? error->code + ERROR_SHIFT : error->code);
	frame_put_u32(out, error->datum);
}

void pdu_get_creds(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_creds *creds = &body->creds;

	creds->numcred = pdu_in_count(in, 0, 4);
	if (creds->numcred > PDU_CREDS_MAX)
		reader_fail(&in->r);
	creds->creds = pdu_in_words(in, creds->numcred);
}

void pdu_put_creds(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_creds *creds = &body->creds;

	if (creds->numcred > PDU_CREDS_MAX)
		frame_out_fail(out, -EINVAL);
	frame_put_u32(out, creds->numcred);
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

void pdu_put_attr(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_attr *attr = &body->attr;

	if (attr->value.len > attr_max(attr->key))
		frame_out_fail(out, -EINVAL);
	put_i32(out, attr->key);
	frame_put_bytes(out, attr->value.s, attr->value.len);
}

/* ---- the table ---- */

enum {
	/* A request goes from a client through the collector to an agent, its answer comes back. */
	REQUEST = PDU_FROM_CLIENT | PDU_TO_AGENT,
	ANSWER = PDU_FROM_AGENT | PDU_TO_CLIENT,
	TO_ALL = ANSWER | PDU_TO_AGENT | PDU_LOG_TO_CLIENT,
	LOG_ROW = PDU_LAST - PDU_FIRST + 1, /* the logger's PDUs follow the collector's */
};

/* clang-format off */
#define LOG_FIRST 0x8000
#define INDEX(num) ((num) < LOG_FIRST ? (num) - PDU_FIRST : (num) - LOG_FIRST + LOG_ROW)
#define ROW(type, roles, min_len, noun) \
	[INDEX(PDU_##type)] = {#type, roles, min_len, pdu_get_##noun, pdu_put_##noun}

/* The sections of docs/spec/pdu.md with the layouts: 5.1 to 5.19. The retired 0x700b is a hole. */
static const struct pdu_kind kinds[] = {
	/*  name            permitted senders                        min_len  get and put */
	ROW(ERROR,          TO_ALL,                                      16,  error),
	ROW(RESULT,         REQUEST | ANSWER | PDU_LOG_TO_CLIENT,        24,  result),
	ROW(PROFILE,        REQUEST,                                     28,  profile),
	ROW(FETCH,          REQUEST,                                     32,  fetch),
	ROW(DESC_REQ,       REQUEST,                                     16,  desc_req),
	ROW(DESC,           ANSWER,                                      32,  desc),
	ROW(INSTANCE_REQ,   REQUEST,                                     32,  instance_req),
	ROW(INSTANCE,       ANSWER,                                      20,  instance),
	ROW(TEXT_REQ,       REQUEST,                                     20,  text_req),
	ROW(TEXT,           ANSWER,                                      20,  text),
	ROW(CREDS,          REQUEST | PDU_FROM_AGENT | PDU_LOG_FROM_CLIENT, 16, creds),
	ROW(PMNS_IDS,       REQUEST | ANSWER,                            20,  pmns_ids),
	ROW(PMNS_NAMES,     REQUEST | ANSWER,                            24,  pmns_names),
	ROW(PMNS_CHILD,     REQUEST,                                     20,  pmns_child),
	ROW(PMNS_TRAVERSE,  REQUEST,                                     20,  pmns_child),
	ROW(ATTR,           REQUEST | PDU_TO_CLIENT,                     16,  attr),
	ROW(LABEL_REQ,      REQUEST,                                     20,  label_req),
	ROW(LABEL,          ANSWER,                                      28,  label),
	ROW(HIGHRES_FETCH,  PDU_FROM_CLIENT,                             32,  fetch),
	ROW(HIGHRES_RESULT, PDU_TO_CLIENT,                               32,  highres_result),
	ROW(DESC_IDS,       PDU_FROM_CLIENT,                             24,  desc_ids),
	ROW(DESCS,          PDU_TO_CLIENT,                               16,  descs),
	ROW(LOG_CONTROL,    PDU_LOG_FROM_CLIENT,                         36,  log_control),
	ROW(LOG_STATUS_V2,  PDU_LOG_TO_CLIENT,                          264,  log_status_v2),
	ROW(LOG_REQUEST,    PDU_LOG_FROM_CLIENT,                         16,  log_request),
	ROW(LOG_STATUS,     PDU_LOG_TO_CLIENT,                           88,  log_status),
	[INDEX(PDU_CONTROL_REQ)] = {"CONTROL_REQ", 0, PDU_HEADER_LEN, NULL, NULL},
};
/* clang-format on */

const struct pdu_kind *pdu_kind(uint32_t type)
{
	if (type < PDU_FIRST || type > PDU_LOG_STATUS || (type > PDU_LAST && type < LOG_FIRST))
		return NULL;
	return kinds[INDEX(type)].name != NULL ? &kinds[INDEX(type)] : NULL;
}

uint32_t pdu_kind_next(uint32_t type)
{
	for (type = type < PDU_FIRST ? PDU_FIRST : type + 1; type <= PDU_LOG_STATUS; type++) {
		if (pdu_kind(type) != NULL)
			return type;
	}
	return 0;
}

const char *pdu_name(uint32_t type)
{
	const struct pdu_kind *kind = pdu_kind(type);

	return kind != NULL ? kind->name : NULL;
}

/* The decimal digits of a number to the end of buf; where they begin. */
static char *decimal(int32_t number, char *end)
{
	uint32_t rest = number < 0 ? -(uint32_t)number : (uint32_t)number;

	do {
		*--end = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (number < 0)
		*--end = '-';
	return end;
}

char *pdu_name_r(uint32_t type, char *buf, size_t size)
{
	char unknown[24] = "TYPE-";
	char digits[16];
	const char *name = pdu_name(type);
	size_t len;

	if (name == NULL) {
		memcpy(digits + sizeof(digits) - 2, "?", 2);
		strcat(unknown, decimal((int32_t)type, digits + sizeof(digits) - 2));
		name = unknown;
	}
	if (size == 0)
		return buf;
	len = strnlen(name, size - 1);
	memcpy(buf, name, len);
	buf[len] = '\0';
	return buf;
}

unsigned int pdu_roles(uint32_t type)
{
	const struct pdu_kind *kind = pdu_kind(type);

	return kind != NULL ? kind->roles : 0;
}

/* ---- whole PDUs: the rows of the table read and write the bytes between header and end ---- */

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
	struct frame_out pdu;

	if (kind == NULL || kind->put == NULL)
		return -EINVAL;
	pdu_out_begin(&pdu, out, type, from);
	kind->put(&pdu, body);
	return frame_out_end(&pdu);
}

int pdu_encode_error(struct buffer *out, int32_t from, int32_t code)
{
	union pdu_body body = {.error = {.code = code}};

	return pdu_encode(out, PDU_ERROR, from, &body);
}
