/*
 * local - contexts whose source is agents in this process (docs/spec/pmapi.md 3.5).
 *
 * local.c opens and closes them, local_meta.c answers questions about names, descriptors,
 * instances, text and labels, local_fetch.c moves values. All begin with local_agent_thread, which
 * refuses every thread but one.
 */
#ifndef LIBPCP_LOCAL_H
#define LIBPCP_LOCAL_H

#include "libpcp/context.h"

extern const struct context_ops local_ops;

/* The operations of the other files; context.h describes them. */
int local_location(struct context *ctx);
int local_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids);
int local_name_all(struct context *ctx, pmID pmid, char ***ret_names);
int local_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status);
int local_traverse(struct context *ctx, const char *name, char ***ret_names);
int local_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc);
int local_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs);
int local_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		    struct context_insts *ret_insts);
int local_text(struct context *ctx, unsigned int ident, int type, char **ret_text);
int local_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets);
int local_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result);
int local_store(struct context *ctx, const pmHighResResult *result);

#endif
