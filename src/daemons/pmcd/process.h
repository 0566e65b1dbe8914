/* process - what agents that are processes need from the end of a turn (agent_process.c). */
#ifndef PMCD_PROCESS_H
#define PMCD_PROCESS_H

struct server;

/* One write for each agent that was asked something in this turn. */
void process_flush_all(struct server *server);

#endif
