/*
 * configure - from files to agents, rights and names: at the start and on SIGHUP (docs/spec/pmcd.md
 * 4, 5, 7.1).
 */
#ifndef PMCD_CONFIGURE_H
#define PMCD_CONFIGURE_H

#include <stdbool.h>

struct config;
struct options;
struct server;

/* Reads the configuration, labels and the name space. Host names are looked up by a thread; until
 * that is done clients of the network are refused. 0, or an error when the collector can't start,
 * which was logged. */
int configure_read(struct server *server);

/* The effect of SIGHUP; a changed configuration is read by a thread, and used when that is done.
 * The old one stays when the new one is bad. */
void configure_again(struct server *server);

/* Reads and checks the files alone; errors go to standard error. True if they are good. */
bool configure_verify(const struct options *options);

/*
 * The table of agents (configure_agents.c)
 */

/* Makes the table of agents fit the configuration, which becomes the server's. 0, or -ENOMEM: both
 * are as before. */
int configure_use(struct server *server, struct config *c);

/* Begins to start the agents that are down. Returns how many. */
unsigned int configure_start(struct server *server);

/* Starts agents that have ended, each at most once a minute. True if any is waiting. */
bool configure_restart_tick(struct server *server, unsigned long long now_ms);

#endif
