/*
 * channel - PDUs between an agent and its collector over two descriptors.
 *
 * A read takes as many bytes as there are, so one system call may bring several PDUs: a caller that
 * waits for the descriptor to become readable must first have served all that channel_pending()
 * reports. Both descriptors block.
 */
#ifndef LIBPCP_PMDA_CHANNEL_H
#define LIBPCP_PMDA_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/buffer.h"
#include "libwire/pdu.h"

struct channel {
	struct buffer in;
	struct buffer out;
};

/* True if the next channel_get needs no read: a whole PDU is there, or a header that is wrong. */
bool channel_pending(const struct channel *ch);

/*
 * Waits for one whole PDU. 1 with the PDU (borrowed until channel_drop), 0 at the end of file,
 * PM_ERR_IPC for a bad header or an end inside a PDU, PM_ERR_TOOBIG, -errno.
 */
int channel_get(struct channel *ch, int fd, const uint8_t **ret_pdu, struct pdu_header *ret_header);

/* Done with the PDU that channel_get gave. */
void channel_drop(struct channel *ch, const struct pdu_header *header);

/* As channel_get, but never reads a byte beyond the PDU; for before the main loop. */
int channel_get_exact(struct channel *ch, int fd, const uint8_t **ret_pdu,
		      struct pdu_header *ret_header);

/* Writes an ERROR of its own, for which no memory is needed. 0 or -errno. */
int channel_send_error(int fd, int code);

/* Writes what was encoded into out. 0, -errno, or the encoder's failure if there was one. */
int channel_send(struct channel *ch, int fd);

#endif
