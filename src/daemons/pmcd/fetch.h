/*
 * fetch - values (docs/spec/pmcd.md 9.1).
 *
 * The PMIDs are split by agent. Processes are asked first, all at once; agents in this process give
 * their values when the last process has answered or its deadline has passed, just before the one
 * reply is written. Values of processes are copied into it as they came.
 */
#ifndef PMCD_FETCH_H
#define PMCD_FETCH_H

struct request;

int fetch_start(struct request *req);

#endif
