/* result_relay - see result.h: an agent's answer becomes the reply without being taken apart. */
#include "libvalue/vset.h"
#include "libwire/pdu_in.h"
#include "libwire/pdu_out.h"
#include "libwire/result.h"

enum {
	RELAY_HEAD = 24, /* of a RESULT: header, time, numpmid */
	RELAY_HEAD_HIGHRES = 32,
	/* Words by which positions differ between the two kinds of results. */
	RELAY_HIGHRES_WORDS = (RELAY_HEAD_HIGHRES - RELAY_HEAD) / 4,
};

/* Finds the end of n sets, which are for these PMIDs; NULL if they are not, or not whole. */
static const uint8_t *sets_end(const uint8_t *p, const uint8_t *end, const pmID *pmids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int32_t numval;
		size_t len = vset_whole(p, (size_t)(end - p), &numval);

		if (len == 0 || load_be32(p) != pmids[i])
			return NULL;
		p += len;
	}
	return p;
}

/* Blocks of numval values, the first at offset at: the offset after the last one, or 0. */
static size_t blocks_end(const uint8_t *pdu, size_t len, const uint8_t *values, int32_t numval,
			 size_t at)
{
	for (int32_t i = 0; i < numval; i++, values += VSET_VALUE_LEN) {
		uint32_t vlen;

		if (load_be32(values + 4) != at / 4 || len - at < VALUE_BLOCK_HEADER)
			return 0;
		vlen = load_be32(pdu + at) & VALUE_BLOCK_MAX;
		if (vlen < VALUE_BLOCK_HEADER || pad4(vlen) > len - at)
			return 0;
		at += pad4(vlen);
	}
	return at;
}

bool result_relay_fits(const void *pdu, size_t len, const pmID *pmids, size_t n)
{
	const uint8_t *bytes = pdu, *p = bytes + RELAY_HEAD, *sets;
	size_t at;

	if (len < RELAY_HEAD || len % 4 != 0 || load_be32(bytes + 20) != n)
		return false;
	sets = sets_end(p, bytes + len, pmids, n);
	if (sets == NULL)
		return false;
	at = (size_t)(sets - bytes);
	while (p < sets && at > 0) {
		int32_t numval = (int32_t)load_be32(p + 4);
		uint32_t valfmt;

		p += VSET_HEAD;
		if (numval <= 0)
			continue;
		valfmt = load_be32(p);
		p += VSET_HEAD_VALUES - VSET_HEAD;
		if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR)
			at = blocks_end(bytes, len, p, numval, at);
		else if (valfmt != PM_VAL_INSITU)
			return false;
		p += (size_t)numval * VSET_VALUE_LEN;
	}
	return at == len;
}

int result_relay_put(struct buffer *out, enum pdu_type type, int64_t sec, int64_t frac,
		     const void *pdu, size_t len)
{
	const uint8_t *bytes = pdu;
	uint32_t n = load_be32(bytes + 20);
	struct pdu_out head;
	uint8_t *p;

	if (len > PDU_PEER_MAX - (RELAY_HEAD_HIGHRES - RELAY_HEAD))
		return PM_ERR_TOOBIG;
	pdu_out_begin(&head, out, type, 0);
	if (type == PDU_HIGHRES_RESULT) {
		put_u32(&head, n);
		put_i64(&head, sec);
		put_i64(&head, frac);
	} else {
		put_low32(&head, sec);
		put_low32(&head, frac);
		put_u32(&head, n);
	}
	p = pdu_out_room(&head, len - RELAY_HEAD);
	if (p != NULL) {
		memcpy(p, bytes + RELAY_HEAD, len - RELAY_HEAD);
		if (type == PDU_HIGHRES_RESULT)
			vset_shift_positions(p, n, RELAY_HIGHRES_WORDS);
	}
	return pdu_out_end(&head);
}
