/*
 * single - requests that one agent answers and the collector passes on: descriptors, instances,
 * help texts, labels, names of a subtree (docs/spec/pmcd.md 9.3).
 */
#ifndef PMCD_SINGLE_H
#define PMCD_SINGLE_H

#include <stdint.h>

struct agent;
struct request;

int single_desc_start(struct request *req);
int single_instance_start(struct request *req);
int single_text_start(struct request *req);
int single_label_start(struct request *req);

/* Passes the request on to the agent of a domain, and its answer (of type want) back. unknown is
 * the error for a domain that is not configured. For kinds that are single only sometimes. */
int single_ask(struct request *req, unsigned int domain, int unknown, uint32_t want);
int single_ask_agent(struct request *req, struct agent *a, uint32_t want);

/* The result: 0 when the answer was passed on, or the error to be replied. */
int single_finish(struct request *req);

#endif
