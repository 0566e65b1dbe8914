/*
 * pdu_buffer - PDUs that __pmGetPDU gave out: header words in host order, the rest as it came.
 */
#ifndef LIBPCP_PDU_BUFFER_H
#define LIBPCP_PDU_BUFFER_H

#include "libwire/pdu.h"

/*
 * Decodes such a PDU, which must be of the type. 0, PM_ERR_IPC, -ENOMEM. The body points into the
 * PDU and the arena.
 */
int pdu_buffer_decode(const void *pdu, enum pdu_type type, struct arena *mem,
		      union pdu_body *ret_body);

#endif
