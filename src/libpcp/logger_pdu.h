/*
 * logger_pdu - the PDUs of a control port, from and to the structures of the API.
 */
#ifndef LIBPCP_LOGGER_PDU_H
#define LIBPCP_LOGGER_PDU_H

#include <pcp/libpcp.h>

#include "libwire/pdu.h"

struct buffer;

/* A LOG_CONTROL for a request, into out. 0, -ENOMEM, -EINVAL (see pdu_encode). */
int logger_pdu_control(struct buffer *out, const pmResult *request, int control, int state,
		       int delta_ms);

/* A status of its own from one that was decoded. 0 or -ENOMEM. */
int logger_pdu_status(const struct pdu_log_status *body, __pmLoggerStatus **ret_status);

#endif
