/*
 * serve - an agent's handlers of the requests that its collector sends (docs/spec/pmda.md 9).
 *
 * A handler has a decoded PDU, calls the agent's method and encodes the answer into out. It returns
 * 0 or more, or a negative code, which is then the answer. Values, names, instances and labels from
 * a method are checked (libwire/host_agent.h) before they are encoded. mainloop.c has the table of
 * handlers, and sends.
 */
#ifndef LIBPCP_PMDA_SERVE_H
#define LIBPCP_PMDA_SERVE_H

#include <stdint.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "libwire/pdu.h"

struct arena;
struct buffer;

/* One request being served. */
struct request {
	pmdaInterface *dispatch;
	pmdaExt *ext;
	int version; /* of the agent's interface */
	struct buffer *out;
	struct arena *mem;
	const uint8_t *pdu;
	struct pdu_header header;
	union pdu_body body;
};

/* Requests without an answer. */
int serve_error(struct request *rq);
int serve_profile(struct request *rq);
int serve_attr(struct request *rq);

/* Values. */
int serve_fetch(struct request *rq);
int serve_store(struct request *rq);

/* Names; serve_pmns_children also walks a whole subtree. */
int serve_pmns_names(struct request *rq);
int serve_pmns_children(struct request *rq);
int serve_pmns_ids(struct request *rq);

/* Metadata. */
int serve_desc(struct request *rq);
int serve_instance(struct request *rq);
int serve_text(struct request *rq);
int serve_label(struct request *rq);

#endif
