/*
 * client_table - the clients by their index: the lowest free one, because agents know clients by it.
 */
#ifndef PMCD_CLIENT_TABLE_H
#define PMCD_CLIENT_TABLE_H

struct client;
struct server;

/* Gives a client its index and its number: 0, -ENOMEM. Takes it out. */
int client_table_add(struct server *server, struct client *c);
void client_table_remove(struct server *server, struct client *c);

/* Sets a bit of state changes for every client. */
void client_table_change_all(struct server *server, unsigned int mask);

#endif
