/* pdu_kind - see pdu_kind.h; names and rights of pdu.h come from the same rows. */
#include "libwire/pdu_kind.h"

#include <string.h>

#include "libwire/pdu.h"

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
