/*
 * client_out - replies to a client: collected, then sent; what it does not take becomes its own.
 */
#ifndef PMCD_CLIENT_OUT_H
#define PMCD_CLIENT_OUT_H

struct buffer;
struct client;

/* Where replies go: until client_flush they are only collected. */
struct buffer *client_out(struct client *c);
void client_flush(struct client *c);

/* An ERROR to the client. */
void client_error(struct client *c, int code);

#endif
