/* desc - DESC_IDS: many descriptors at once, asked of all agents together (docs/spec/pdu.md 5.7).
 */
#ifndef PMCD_DESC_H
#define PMCD_DESC_H

struct request;

int desc_ids_start(struct request *req);

#endif
