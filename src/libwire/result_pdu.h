/*
 * result_pdu - a RESULT under construction, directly in the buffer that is sent: the owner of the
 * sink that agents' libraries write to (result_sink.h).
 *
 *     header, time, numpmid | set | set | room    | block | block | room
 *                           pdu
 *
 * Blocks are written after the room for all sets, whose size is a guess. A right guess costs
 * nothing. After a wrong one the blocks are moved to the end of the sets, once, and their positions
 * are corrected.
 */
#ifndef LIBWIRE_RESULT_PDU_H
#define LIBWIRE_RESULT_PDU_H

#include "libbase/buffer.h"
#include "libwire/pdu.h"
#include "libwire/result_sink.h"

struct result_pdu {
	struct result_sink sink; /* for writers */
	struct result_area area; /* while no writer has it */
	struct buffer *b;
	uint32_t type;
	int buffer_err; /* the buffer's own, as it was before */
	int err;        /* first failure: -ENOMEM, PM_ERR_TOOBIG */
	uint32_t word;  /* positions are given as if the first block were at this word of the PDU */
	int32_t n;      /* sets, as begun */
	uint8_t *pdu;   /* its first byte */
};

/*
 * Begins a RESULT or HIGHRES_RESULT of n sets after the buffer's contents. Until it ends no other
 * code may touch the buffer. Failures are remembered and returned by result_pdu_end.
 */
void result_pdu_begin(struct result_pdu *p, struct buffer *b, enum pdu_type type, int32_t from,
		      uint32_t n);

/*
 * Ends the PDU; frac is in the unit of its type. 0, or the first failure: -ENOMEM, PM_ERR_TOOBIG
 * if it would exceed PDU_PEER_MAX; then the buffer holds what it held before.
 */
int result_pdu_end(struct result_pdu *p, int64_t sec, int64_t frac);

/* Takes the PDU back: the buffer holds what it held before. */
void result_pdu_cancel(struct result_pdu *p);

#endif
