/*
 * name_request - PMNS_NAMES, PMNS_IDS, PMNS_CHILD, PMNS_TRAVERSE (docs/spec/pmcd.md 9.4).
 *
 * The static name space answers what it knows; names below a dynamic root are asked of its agent,
 * several agents of one request at the same time.
 */
#ifndef PMCD_NAME_REQUEST_H
#define PMCD_NAME_REQUEST_H

struct request;

int name_names_start(struct request *req);
int name_ids_start(struct request *req);
int name_child_start(struct request *req);
int name_traverse_start(struct request *req);

#endif
