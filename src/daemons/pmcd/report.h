/* report - tables for the log: agents, clients (docs/spec/pmcd.md 4, 6.6). */
#ifndef PMCD_REPORT_H
#define PMCD_REPORT_H

struct server;

/* The report of the start: agents, access lists, process id, ports. */
void report_start(struct server *server);
/* Agents and access lists: what SIGHUP may have changed. */
void report_lists(struct server *server);
void report_clients(struct server *server);

#endif
