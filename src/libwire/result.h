/*
 * result - value sets between the wire, pmResult and a relay (docs/spec/pdu.md 4.5, 5.2, 6).
 *
 * A collector gathers value sets from processes (already in wire form: copied, never decoded) and
 * from agents in its own process (host form), and writes one RESULT. A client gets one allocation
 * holding the whole pmResult. Event arrays are checked before a byte of them is swapped.
 */
#ifndef LIBWIRE_RESULT_H
#define LIBWIRE_RESULT_H

#include "libvalue/value_block.h"
#include "libwire/pdu.h"

enum result_kind {
	RESULT_ERROR, /* numval is an error code, or 0 for no values */
	RESULT_WIRE,
	RESULT_HOST,
};

/* One value set of the result to be written; pmid is that of the request. */
struct result_source {
	enum result_kind kind;
	pmID pmid;
	union {
		int32_t error;
		const struct wire_vset *wire;
		const pmValueSet *host;
	};
};

/*
 * Appends a RESULT or HIGHRES_RESULT made of n sources. frac is in the unit of the type.
 * 0, -ENOMEM, -EINVAL (type), PM_ERR_TOOBIG if the PDU would exceed PDU_PEER_MAX. A host value
 * that can't be carried (bad valfmt, block shorter than its header or its numeric type, malformed
 * event array) makes that metric's numval PM_ERR_CONV; the others are not touched.
 */
int result_encode(struct buffer *out, enum pdu_type type, int32_t from, int64_t sec, int64_t frac,
		  const struct result_source *sources, size_t n);

/*
 * True if a whole RESULT (header included, len as in the header) has sets for exactly these PMIDs,
 * in order, and its blocks are in the order of their values, as senders place them: it can then be
 * passed on unchanged. False does not mean that it is malformed.
 */
bool result_relay_fits(const void *pdu, size_t len, const pmID *pmids, size_t n);

/*
 * Appends a RESULT or HIGHRES_RESULT with the sets and blocks of one that fits, and another time;
 * frac is in the unit of the type. 0, -ENOMEM, PM_ERR_TOOBIG.
 */
int result_relay_put(struct buffer *out, enum pdu_type type, int64_t sec, int64_t frac,
		     const void *pdu, size_t len);

/*
 * Makes a pmHighResResult (nanoseconds also from a RESULT) from a decoded result: one malloc'd
 * block that holds value sets and value blocks too, in host order, so that a single free releases
 * it. Sets with values have valfmt PM_VAL_INSITU or PM_VAL_DPTR. A string is followed by a NUL,
 * also where its sender sent none. 0, PM_ERR_IPC for a block whose length does not fit its type or
 * a malformed event array, -ENOMEM.
 */
int result_to_host(const struct pdu_result *result, bool highres, pmHighResResult **ret_result);

/*
 * Makes the same directly from the bytes of a RESULT or HIGHRES_RESULT (header included, len as in
 * the header), for callers that need nothing else of it: pdu_decode and result_to_host without the
 * form between them. 0, PM_ERR_IPC if one of the two returns it, -EINVAL for another type, -ENOMEM.
 */
int result_decode(const void *pdu, size_t len, pmHighResResult **ret_result);

#endif
