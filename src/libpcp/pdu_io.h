/*
 * pdu_io - one whole PDU to or from a descriptor that belongs to the caller.
 *
 * Unlike a connection (conn.h) it keeps nothing between calls, reads not one byte too many, and
 * never closes the descriptor. It is for the descriptors of __pmConnectLogger and for those of
 * programs.
 */
#ifndef LIBPCP_PDU_IO_H
#define LIBPCP_PDU_IO_H

#include <stddef.h>
#include <stdint.h>

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

#endif
