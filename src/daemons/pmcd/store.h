/* store - values that a client sets (docs/spec/pmcd.md 9.2): split by agent, one status back. */
#ifndef PMCD_STORE_H
#define PMCD_STORE_H

struct request;

int store_start(struct request *req);

#endif
