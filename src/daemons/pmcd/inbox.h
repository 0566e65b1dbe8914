/*
 * inbox - bytes of one peer on their way in, cut into PDUs (docs/spec/pdu.md 2).
 *
 * An idle peer costs nothing: bytes are received into memory that the whole loop shares, and only
 * what is not a whole PDU yet, or may not be served yet, is kept on the heap. The order of use in
 * one wake is: inbox_receive, inbox_take until it returns 0, inbox_settle. A PDU that was taken is
 * valid until inbox_settle.
 */
#ifndef PMCD_INBOX_H
#define PMCD_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/buffer.h"
#include "libwire/pdu.h"

struct inbox {
	struct buffer kept;
	const uint8_t *pos; /* what may be taken now: in kept, or in the shared memory */
	const uint8_t *end;
	bool borrowed; /* pos and end are in the shared memory */
};

/* Memory to receive into, one for a loop. */
struct inbox_memory {
	uint8_t *data;
	size_t size;
};

struct inbox_pdu {
	struct pdu_header header;
	const uint8_t *bytes; /* the whole PDU */
};

/* Contents are released by inbox_done; a zeroed struct is a valid empty inbox. */
void inbox_done(struct inbox *in);

/*
 * One read of at most max bytes (and of the shared memory's size). Returns the number of bytes, 0
 * at the end of the stream, -EAGAIN when there was nothing, another -errno for a broken peer.
 */
long inbox_receive(struct inbox *in, int fd, const struct inbox_memory *shared, size_t max);

/*
 * The header of the next PDU without taking it. 1, 0 when fewer than 12 bytes are there, PM_ERR_IPC
 * for an impossible one, PM_ERR_TOOBIG for a length over ceiling.
 */
int inbox_peek(const struct inbox *in, size_t ceiling, struct pdu_header *ret_header);

/* As inbox_peek, but the PDU must be whole and is taken. */
int inbox_take(struct inbox *in, size_t ceiling, struct inbox_pdu *ret_pdu);

/* Bytes that were received and not taken. */
static inline size_t inbox_pending(const struct inbox *in)
{
	return (size_t)(in->end - in->pos);
}

/* The end of a wake: what was not taken moves to the heap. 0 or -ENOMEM. */
int inbox_settle(struct inbox *in);

#endif
