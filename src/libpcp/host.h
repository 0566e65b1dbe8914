/*
 * host - contexts whose source is a collector: the connection, and one request a question.
 *
 * The operations are spread over host.c (connecting), host_meta.c (names, descriptors, instances,
 * text, labels) and host_fetch.c (values).
 */
#ifndef LIBPCP_HOST_H
#define LIBPCP_HOST_H

#include <stdint.h>

#include "libpcp/conn.h"
#include "libpcp/context.h"
#include "libpcp/hostspec.h"

struct host {
	struct hostspec spec;
	char *text;      /* the specification that spec was made from */
	char *container; /* NULL: none */
	bool secure;
	bool compress;
	bool auth;
	const char *in_use; /* path or host name of the connection; part of spec or constant */
	struct conn conn;
	unsigned int failures; /* of reconnecting, in a row */
	uint64_t again_ms;     /* no attempt before this (monotonic) */
};

extern const struct context_ops host_ops;

static inline struct host *host_of(const struct context *ctx)
{
	return ctx->source;
}

/* One request, one reply, on the context's connection; see conn_call. */
static inline int host_call(struct context *ctx, enum pdu_type type, const union pdu_body *request,
			    enum pdu_type want, union pdu_body *ret_body)
{
	return conn_call(&host_of(ctx)->conn, type, request, want, ret_body);
}

/* Adds the profile to what is to be sent, if the collector does not have it yet. */
int host_put_profile(struct context *ctx);

/* The operations of the other files; context.h describes them. */
int host_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids);
int host_name_all(struct context *ctx, pmID pmid, char ***ret_names);
void host_names_all(struct context *ctx, size_t n, const pmID *pmids, char ***ret_names,
		    int *ret_counts);
int host_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status);
int host_traverse(struct context *ctx, const char *name, char ***ret_names);
int host_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc);
int host_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs);
int host_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		   struct context_insts *ret_insts);
int host_text(struct context *ctx, unsigned int ident, int type, char **ret_text);
int host_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets);
int host_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result);
int host_store(struct context *ctx, const pmHighResResult *result);

#endif
