/*
 * logger_call - one request to a recorder and its answer (docs/spec/logger.md B2 to B5).
 */
#ifndef LIBPCP_LOGGER_CALL_H
#define LIBPCP_LOGGER_CALL_H

#include <stddef.h>

struct buffer;

/* Milliseconds to wait for an answer, 0: without limit. */
int logger_timeout_ms(void);

/*
 * Receives the answer into pdu, which is empty: its type. A refusal (an ERROR with a code below 0)
 * is that code; the end of the stream is PM_ERR_IPC; else as pdu_io_receive.
 */
int logger_answer(int fd, struct buffer *pdu);

#endif
