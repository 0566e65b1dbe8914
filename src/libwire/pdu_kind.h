/*
 * pdu_kind - the table of PDUs: one row says all there is to know about one.
 *
 * Names, rights, decoding, encoding, the fuzz dictionary and the golden test come from its rows.
 * The get and put functions live in one file a family: pdu_session.c, pdu_fetch.c, pdu_desc.c,
 * pdu_indom.c, pdu_text.c, pdu_pmns.c, pdu_label.c, pdu_log.c, pdu_result.c.
 */
#ifndef LIBWIRE_PDU_KIND_H
#define LIBWIRE_PDU_KIND_H

#include <stddef.h>
#include <stdint.h>

struct pdu_in;
struct pdu_out;
union pdu_body;

struct pdu_kind {
	const char *name; /* NULL: a number without a PDU */
	unsigned int roles;
	uint32_t min_len; /* of the shortest one, header included */
	void (*get)(struct pdu_in *in, union pdu_body *body); /* NULL: a number without a layout */
	void (*put)(struct pdu_out *out, const union pdu_body *body);
};

/* The row of a type; NULL if there is no such PDU. */
const struct pdu_kind *pdu_kind(uint32_t type);

/* All types in ascending order: start with 0, gives 0 after the last. */
uint32_t pdu_kind_next(uint32_t type);

/* get reads what follows the header, put appends it. */
#define PDU_CODEC(noun)                                                                            \
	void pdu_get_##noun(struct pdu_in *in, union pdu_body *body);                              \
	void pdu_put_##noun(struct pdu_out *out, const union pdu_body *body)

PDU_CODEC(error);
PDU_CODEC(creds);
PDU_CODEC(attr);
PDU_CODEC(profile);
PDU_CODEC(fetch);
PDU_CODEC(result);
PDU_CODEC(highres_result);
PDU_CODEC(desc_req);
PDU_CODEC(desc);
PDU_CODEC(desc_ids);
PDU_CODEC(descs);
PDU_CODEC(instance_req);
PDU_CODEC(instance);
PDU_CODEC(text_req);
PDU_CODEC(text);
PDU_CODEC(pmns_ids);
PDU_CODEC(pmns_names);
PDU_CODEC(pmns_child);
PDU_CODEC(label_req);
PDU_CODEC(label);
PDU_CODEC(log_control);
PDU_CODEC(log_request);
PDU_CODEC(log_status_v2);
PDU_CODEC(log_status);

#endif
