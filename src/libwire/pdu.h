/*
 * pdu - the protocol data units of PCP as structs (docs/spec/pdu.md).
 *
 * One row of a table describes a PDU: number, name, permitted senders, decode, encode. Decoding
 * checks every count and length; a PDU with bytes missing or left over is PM_ERR_IPC. Decoded
 * bodies borrow: strings and value blocks point into the PDU, arrays are in the arena that the
 * caller gives, so both must outlive the body. Encoding appends one whole PDU to a buffer.
 */
#ifndef LIBWIRE_PDU_H
#define LIBWIRE_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libvalue/wire_form.h"

/* ---- limits of bytes from outside (docs/spec/pdu.md 2.2, 4.5, 5; pmcd.md 15) ---- */

enum {
	PDU_HEADER_LEN = 12,
	PDU_CLIENT_MAX = 65536,           /* default ceiling of what a server takes from a client */
	PDU_PEER_MAX = 256 << 20,         /* from a collector or an agent; the type allows 2^31-1 */
	PDU_CREDS_MAX = 1024,             /* credentials in a CREDS */
	PDU_ATTR_MAX = 4095,              /* bytes of an attribute's value */
	PDU_SASL_MAX = 2047,              /* bytes of an authentication payload */
	PDU_LABELS_MAX = 254,             /* labels in a set */
	PDU_LABEL_JSON_MAX = 65534,       /* bytes of a set's text */
	PDU_LOG_STRING_MAX = 256,         /* each string of a LOG_STATUS */
	PDU_NAMES_REQUEST_MAX = 63 << 10, /* a client splits longer lists of names and of PMIDs */
};

struct arena;
struct buffer;

enum pdu_type {
	PDU_ERROR = 0x7000,
	PDU_RESULT = 0x7001,
	PDU_PROFILE = 0x7002,
	PDU_FETCH = 0x7003,
	PDU_DESC_REQ = 0x7004,
	PDU_DESC = 0x7005,
	PDU_INSTANCE_REQ = 0x7006,
	PDU_INSTANCE = 0x7007,
	PDU_TEXT_REQ = 0x7008,
	PDU_TEXT = 0x7009,
	PDU_CONTROL_REQ = 0x700a, /* a number without a layout */
	PDU_CREDS = 0x700c,
	PDU_PMNS_IDS = 0x700d,
	PDU_PMNS_NAMES = 0x700e,
	PDU_PMNS_CHILD = 0x700f,
	PDU_PMNS_TRAVERSE = 0x7010,
	PDU_ATTR = 0x7011,
	PDU_LABEL_REQ = 0x7012,
	PDU_LABEL = 0x7013,
	PDU_HIGHRES_FETCH = 0x7014,
	PDU_HIGHRES_RESULT = 0x7015,
	PDU_DESC_IDS = 0x7016,
	PDU_DESCS = 0x7017,
	PDU_LOG_CONTROL = 0x8000,
	PDU_LOG_STATUS_V2 = 0x8001,
	PDU_LOG_REQUEST = 0x8002,
	PDU_LOG_STATUS = 0x8003,
};

enum {
	PDU_FIRST = PDU_ERROR, /* counters are indexed by type - PDU_FIRST */
	PDU_LAST = PDU_DESCS,
	PDU_VERSION = 2,
};

/* Features of a challenge and of credentials (8.2). */
enum pdu_feature {
	PDU_FEATURE_SECURE = 1u << 0,
	PDU_FEATURE_COMPRESS = 1u << 1,
	PDU_FEATURE_AUTH = 1u << 2,
	PDU_FEATURE_CREDS_REQD = 1u << 3,
	PDU_FEATURE_SECURE_ACK = 1u << 4,
	PDU_FEATURE_NO_NSS_INIT = 1u << 5,
	PDU_FEATURE_CONTAINER = 1u << 6,
	PDU_FEATURE_CERT_REQD = 1u << 7,
	PDU_FEATURE_BAD_LABEL = 1u << 8,
	PDU_FEATURE_LABELS = 1u << 9,
	PDU_FEATURE_HIGHRES = 1u << 10,
	PDU_FEATURE_DESCS = 1u << 11,
};

/* Attribute keys (5.14). */
enum pdu_attr_key {
	PDU_ATTR_NONE = 0,
	PDU_ATTR_USERNAME = 5,
	PDU_ATTR_USERID = 11,
	PDU_ATTR_GROUPID = 12,
	PDU_ATTR_PROCESSID = 14,
	PDU_ATTR_CONTAINER = 15,
};

/* Permitted senders and receivers of a PDU: bits of pdu_kind.roles. */
enum pdu_role {
	PDU_FROM_CLIENT = 1u << 0,     /* client to collector */
	PDU_TO_CLIENT = 1u << 1,       /* collector to client */
	PDU_TO_AGENT = 1u << 2,        /* collector to agent */
	PDU_FROM_AGENT = 1u << 3,      /* agent to collector */
	PDU_LOG_FROM_CLIENT = 1u << 4, /* control client to logger */
	PDU_LOG_TO_CLIENT = 1u << 5,
};

struct pdu_header {
	uint32_t len; /* of the whole PDU */
	uint32_t type;
	int32_t from;
};

struct pdu_error {
	int32_t code;   /* as the API knows it: the translation of the extended form is undone */
	bool extended;  /* carries datum: the first PDU of a connection */
	uint32_t datum; /* version << 24 | licensed << 16 | features */
};

struct pdu_result { /* RESULT and HIGHRES_RESULT */
	int64_t sec;
	int64_t frac; /* microseconds in RESULT, nanoseconds in HIGHRES_RESULT */
	uint32_t numpmid;
	const struct wire_vset *vsets;
};

struct pdu_profile {
	int32_t slot;
	pmProfile profile; /* entries and lists in the arena */
};

struct pdu_fetch { /* FETCH and HIGHRES_FETCH */
	int32_t slot;
	uint32_t numpmid;
	const pmID *pmids;
};

struct pdu_desc_req {
	pmID pmid;
};

struct pdu_desc {
	pmDesc desc;
};

struct pdu_desc_ids {
	uint32_t numpmid;
	const pmID *pmids;
};

struct pdu_descs {
	uint32_t numdesc;
	const pmDesc *descs; /* pmid PM_ID_NULL: not available */
};

struct pdu_instance_req {
	pmInDom indom;
	int32_t inst;         /* PM_IN_NULL: by name, or all */
	struct wire_str name; /* len 0: no name */
};

struct pdu_instance {
	pmInDom indom; /* of no meaning to the receiver */
	uint32_t numinst;
	const struct wire_inst *insts;
};

struct pdu_text_req {
	uint32_t ident;
	int32_t type; /* PM_TEXT_* bits */
};

struct pdu_text {
	uint32_t ident; /* of no meaning to the receiver */
	struct wire_str text;
};

struct pdu_creds {
	uint32_t numcred;
	const uint32_t *creds; /* type << 24 | version << 16 | features */
};

struct pdu_pmns_ids {
	int32_t status;
	uint32_t numpmid;
	const pmID *pmids;
};

struct pdu_pmns_names {
	uint32_t numname;
	const struct wire_str *names;
	const int32_t *status; /* PMNS_LEAF_STATUS or PMNS_NONLEAF_STATUS; NULL: not asked for */
};

struct pdu_pmns_child {  /* PMNS_CHILD and PMNS_TRAVERSE */
	int32_t subtype; /* PMNS_CHILD: 1 asks for status */
	struct wire_str name;
};

struct pdu_attr {
	int32_t key;
	struct wire_str value; /* as on the wire: towards an agent it counts a NUL at its end */
};

struct pdu_label_req {
	uint32_t ident;
	int32_t type; /* one PM_LABEL_* bit */
};

struct pdu_label {
	uint32_t ident;
	int32_t type;
	uint32_t numset;
	const struct wire_labelset *sets;
};

struct wire_control_inst {
	int32_t inst;
	int32_t value; /* ignored by the receiver */
};

struct wire_control_set {
	pmID pmid;
	int32_t numval; /* 0: all instances; < 0: ignored */
	const struct wire_control_inst *insts;
};

struct pdu_log_control {
	int32_t control;
	int32_t state;
	int32_t delta_ms;
	uint32_t numpmid;
	const struct wire_control_set *sets;
};

struct pdu_log_request {
	int32_t request;
};

/* LOG_STATUS_V2 carries microseconds, has no zoneinfo, and cuts names at 63 and zones at 39 bytes.
 */
struct pdu_log_status {
	int64_t start_sec, last_sec, now_sec;
	int32_t start_nsec, last_nsec, now_nsec;
	int32_t state;
	int32_t volume;
	int64_t size;
	struct wire_str pmcd_host; /* without the NUL; len 0: absent */
	struct wire_str fqdn;
	struct wire_str pmcd_tz;
	struct wire_str pmcd_zoneinfo;
	struct wire_str logger_tz;
	struct wire_str logger_zoneinfo;
};

union pdu_body {
	struct pdu_error error;
	struct pdu_result result;
	struct pdu_profile profile;
	struct pdu_fetch fetch;
	struct pdu_desc_req desc_req;
	struct pdu_desc desc;
	struct pdu_desc_ids desc_ids;
	struct pdu_descs descs;
	struct pdu_instance_req instance_req;
	struct pdu_instance instance;
	struct pdu_text_req text_req;
	struct pdu_text text;
	struct pdu_creds creds;
	struct pdu_pmns_ids pmns_ids;
	struct pdu_pmns_names pmns_names;
	struct pdu_pmns_child pmns_child;
	struct pdu_attr attr;
	struct pdu_label_req label_req;
	struct pdu_label label;
	struct pdu_log_control log_control;
	struct pdu_log_request log_request;
	struct pdu_log_status log_status;
};

/*
 * Reads a header from the first 12 bytes of buf. 0, or PM_ERR_IPC when len < 12 or type < 0.
 * Whether the type is known is pdu_decode's question, the size is the caller's (its ceiling).
 */
int pdu_header_get(const uint8_t *buf, struct pdu_header *ret_header);

/*
 * Decodes one whole PDU (header included, len as the header says). 0, PM_ERR_IPC for anything that
 * does not follow the layout, -ENOMEM when the arena gives none. *ret_body is written on success.
 */
int pdu_decode(const void *pdu, size_t len, struct arena *mem, union pdu_body *ret_body);

/*
 * Appends one PDU. 0, -EINVAL for a body that no PDU can carry (a count or length over its limit,
 * an unknown type), -ENOMEM. On failure the buffer is as it was, but for its memory.
 */
int pdu_encode(struct buffer *out, enum pdu_type type, int32_t from, const union pdu_body *body);

/* Shorthand for the commonest answer: a plain ERROR. */
int pdu_encode_error(struct buffer *out, int32_t from, int32_t code);

/* The table's name for a type ("FETCH"), or NULL if there is no such PDU. */
const char *pdu_name(uint32_t type);

/* The name for diagnostics, or "TYPE-<decimal>?". Returns buf. */
char *pdu_name_r(uint32_t type, char *buf, size_t size);

/* PDU_FROM_CLIENT … bits of a type; 0 if there is no such PDU. */
unsigned int pdu_roles(uint32_t type);

/* The challenge word of 4.6 and the credential word of 4.7. */
static inline uint32_t pdu_challenge(unsigned int features)
{
	return (uint32_t)PDU_VERSION << 24 | 1u << 16 | (features & 0xffff);
}

static inline uint32_t pdu_cred_version(unsigned int version, unsigned int features)
{
	return 1u << 24 | (version & 0xff) << 16 | (features & 0xffff);
}

#endif
