/*
 * pdu_io - one whole PDU to or from a descriptor that belongs to the caller.
 *
 * Unlike a connection (conn.h) it keeps nothing between calls, reads not one byte too many, and
 * never closes the descriptor. It is for the descriptors of __pmConnectLogger and for those of
 * programs. Each PDU of the process is counted here, those of connections too.
 */
#ifndef LIBPCP_PDU_IO_H
#define LIBPCP_PDU_IO_H

#include <stddef.h>
#include <stdint.h>

#include "libwire/pdu.h"

struct buffer;

/*
 * Sends one PDU from the buffer. timeout_ms 0: without limit. The bytes sent, PM_ERR_TIMEOUT,
 * -EPIPE (the peer has closed; no signal), -errno.
 */
int pdu_io_send(int fd, const struct buffer *pdu, int timeout_ms);

/*
 * Receives one PDU of at most max bytes into pdu, which is empty. Its type, 0 at the end of the
 * stream, PM_ERR_TIMEOUT (for the whole of it), PM_ERR_IPC, PM_ERR_TOOBIG, -ENOMEM.
 */
int pdu_io_receive(int fd, size_t max, int timeout_ms, struct buffer *pdu);

/*
 * Decodes a PDU that __pmGetPDU gave out, which must be of the type. 0, PM_ERR_IPC, -ENOMEM. The
 * body points into the PDU and the arena.
 */
int pdu_buffer_decode(const void *pdu, enum pdu_type type, struct arena *mem,
		      union pdu_body *ret_body);

/*
 * Counts one PDU received, or sent; types outside the counted range are not. The arrays at
 * __pmPDUCntIn and __pmPDUCntOut (pmprobe -V shows them) have one counter a type from 0x7000 on.
 * There is no lock: relaxed atomics, so that no thread's count is lost.
 */
void pdu_count_in(uint32_t type);
void pdu_count_out(uint32_t type);

#endif
