/*
 * stream - whole PDUs to and from an agent, over two descriptors, which may be the same.
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
	bool broken; /* part of a PDU was sent, and the rest never will be */
	struct buffer sending, received;
	size_t given; /* bytes of `received` that the next call discards */
};

/* Takes over both descriptors. */
void stream_init(struct stream *s, int in, int out);
void stream_done(struct stream *s);

/*
 * Sends one PDU, or the contents of s->sending. Returns 0, -errno, -EINVAL for a body that a PDU
 * cannot carry, or -EINTR for ^C. After a partly sent PDU it returns PM_ERR_IPC only.
 */
int stream_send(struct stream *s, enum pdu_type type, const union pdu_body *body);
int stream_flush(struct stream *s);

/*
 * Waits for one whole PDU, timeout_ms at most. Returns 1 and the PDU, valid until the next call; 0
 * at the end of the stream; PM_ERR_TIMEOUT; PM_ERR_IPC for a bad header; -EINTR for ^C (the
 * received part of the PDU is kept); -errno.
 */
int stream_receive(struct stream *s, int timeout_ms, struct pdu_header *ret_header,
		   const uint8_t **ret_pdu);

#endif
