/*
 * handshake - how a connection begins: the challenge, credentials, a container, who may be here
 * (docs/spec/pdu.md 8).
 */
#ifndef PMCD_HANDSHAKE_H
#define PMCD_HANDSHAKE_H

struct client;
struct inbox_pdu;
struct server;

/* The extended ERROR that opens every connection: 0 with what is offered, or why it is refused.
 * 0, or -ENOMEM: nothing was sent. */
int handshake_greet(struct server *server, int fd, int code);

/* CREDS, and the ATTR that names a container. A client that is refused is closed. */
void handshake_creds(struct client *c, const struct inbox_pdu *pdu);
void handshake_container(struct client *c, const struct inbox_pdu *pdu);

/* All attributes of the client, to the agents that want them (docs/spec/pmcd.md 8.5). */
void handshake_publish(struct client *c);

/* Its rights once more, after a reconfiguration; closes it when it may not be here any more. */
void handshake_again(struct client *c);

#endif
