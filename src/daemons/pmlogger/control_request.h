/*
 * control_request - what a client of the control port can ask, a table row a PDU (docs/spec/logger.md
 * B2 to B5).
 */
#ifndef PMLOGGER_CONTROL_REQUEST_H
#define PMLOGGER_CONTROL_REQUEST_H

#include <stddef.h>
#include <stdint.h>

struct control_client;

/*
 * Serves one whole PDU: its answer, if it has one, is in c->out, or the client waits for the
 * logger. 0, or a negative error that is to be sent to the client before it is closed.
 */
int control_request_serve(struct control_client *c, const uint8_t *pdu, size_t len);

/* The client is closed: the logger may still answer, and the answer is dropped. */
void control_request_forget(struct control_client *c);

/* The answer is there: sends it. In control_client.c. */
void control_client_answered(struct control_client *c);

#endif
