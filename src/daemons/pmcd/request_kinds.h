/*
 * request_kinds - how each kind of request starts (the table is in request_kinds.c).
 *
 * Each returns 0, or an error that is replied. It sets the call-backs of the request and asks agents for its parts.
 */
#ifndef PMCD_REQUEST_KINDS_H
#define PMCD_REQUEST_KINDS_H

#include <stdint.h>

struct agent;
struct request;

/* fetch.c: values. */
int fetch_start(struct request *req);

/* store.c: values that a client sets. */
int store_start(struct request *req);

/* single.c: one agent answers. */
int single_desc_start(struct request *req);
int single_instance_start(struct request *req);
int single_text_start(struct request *req);
int single_label_start(struct request *req);

/* single.c: many descriptors at once. */
int desc_ids_start(struct request *req);

/* name_request.c: names and PMIDs. */
int name_names_start(struct request *req);
int name_ids_start(struct request *req);
int name_child_start(struct request *req);
int name_traverse_start(struct request *req);

/* Passes the request on to the agent of a domain, and its answer (of type want) back. unknown is
 * the error for a domain that is not configured. For kinds that are single only sometimes. */
int single_ask(struct request *req, unsigned int domain, int unknown, uint32_t want);
int single_ask_agent(struct request *req, struct agent *a, uint32_t want);

/* The result: 0 when the answer was passed on, or the error to be replied. */
int single_finish(struct request *req);

#endif
