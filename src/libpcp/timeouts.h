/*
 * timeouts - how long a client waits (docs/spec/pdu.md 14). The environment is read once, on first
 * use; a value that is not a number of seconds is ignored with a warning.
 */
#ifndef LIBPCP_TIMEOUTS_H
#define LIBPCP_TIMEOUTS_H

/* Milliseconds to connect to one port of a host; 0: without limit. */
int timeouts_connect_ms(void);

/* Milliseconds for the steps of the handshake; 0: without limit. */
int timeouts_handshake_ms(void);

/* Milliseconds for one whole reply: whole seconds, so that less than one means without limit (0).
 */
int timeouts_reply_ms(void);

/* Seconds to pause before the attempt after the nth failure in a row, n from 1. */
int timeouts_reconnect_sec(unsigned int failures);

#endif
