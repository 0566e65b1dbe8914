/*
 * stream - whole PDUs to and from an agent, over a pair of descriptors that may be one.
 */
#ifndef DBPMDA_STREAM_H
#define DBPMDA_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/buffer.h"
#include "libwire/pdu.h"

enum { STREAM_FOREVER = -1 };

struct stream {
	int in, out;
	bool broken; /* part of a PDU was sent, and the rest will never be */
	struct buffer sending, received;
	size_t given; /* bytes of received that the caller has: gone with the next call */
};

/* Takes both descriptors. */
void stream_init(struct stream *s, int in, int out);
void stream_done(struct stream *s);

/*
 * Sends one PDU, or what is in s->sending. 0, or -errno, -EINVAL for what no PDU can carry, -EINTR
 * for ^C; after half a PDU there is only PM_ERR_IPC.
 */
int stream_send(struct stream *s, enum pdu_type type, const union pdu_body *body);
int stream_flush(struct stream *s);

/*
 * Waits for one whole PDU, timeout_ms at most. 1 and the PDU, valid until the next call; 0 at the
 * end of the stream; PM_ERR_TIMEOUT, PM_ERR_IPC (a header that can't be), -EINTR
 * for ^C (what has come of the PDU is kept), -errno.
 */
int stream_receive(struct stream *s, int timeout_ms, struct pdu_header *ret_header,
		   const uint8_t **ret_pdu);

#endif
