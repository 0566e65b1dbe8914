/*
 * archive_ops - contexts whose source is archives (docs/spec/archive.md 10).
 *
 * archive_ops.c opens, positions and describes the archives; archive_lookup.c answers questions
 * about names, descriptors, instances, text and labels; archive_fetch.c fetches records (FORW,
 * BACK) and archive_interp.c values at a time (INTERP).
 */
#ifndef LIBPCP_ARCHIVE_OPS_H
#define LIBPCP_ARCHIVE_OPS_H

#include <time.h>

#include "libpcp/archive_want.h"
#include "libpcp/context.h"

struct archive_interp;
struct archive_set;
struct pmns;

struct archive_source {
	struct archive_set *set;
	int mode;               /* PM_MODE_FORW, _BACK, _INTERP */
	struct timespec origin; /* the context's time */
	struct timespec delta;  /* both parts of one sign */
	bool positioned;        /* the set's position is that of the mode */
	bool wrap;              /* counters that fall have wrapped, whatever the environment says */

	struct pmns *names; /* made when it is first needed */
	unsigned int names_grown;
	struct archive_want want; /* what was fetched last */
	struct archive_interp *interp;
};

extern const struct context_ops archive_ops;

static inline struct archive_source *archive_source_of(const struct context *ctx)
{
	return ctx->source;
}

static inline bool archive_is_source(const struct context *ctx)
{
	return ctx->type == PM_CONTEXT_ARCHIVE;
}

/* The operations that only archives have; PM_ERR_NOTARCHIVE for other contexts. */
int archive_fetch_record(struct context *ctx, pmHighResResult **ret_result);
int archive_label_of(struct context *ctx, pmHighResLogLabel *ret_label);
int archive_end_of(struct context *ctx, struct timespec *ret_end);
bool archive_end_of_is_torn(
    struct context *ctx); /* see archive_end_is_torn; after archive_end_of */
int archive_set_wrap(struct context *ctx, bool wrap);
/* As the operation instances, over all times. */
int archive_instances_ever(struct context *ctx, pmInDom indom, int inst, const char *name,
			   struct context_insts *ret_insts);
/* True if the archives know the metric. */
bool archive_knows(struct context *ctx, pmID pmid);

/* The operations of the other files; context.h describes them. */
int archive_location(struct context *ctx);
int archive_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids);
int archive_name_all(struct context *ctx, pmID pmid, char ***ret_names);
int archive_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status);
int archive_traverse(struct context *ctx, const char *name, char ***ret_names);
int archive_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc);
int archive_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs);
int archive_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		      struct context_insts *ret_insts);
int archive_text(struct context *ctx, unsigned int ident, int type, char **ret_text);
int archive_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets);
int archive_fetch(struct context *ctx, size_t n, const pmID *pmids, pmHighResResult **ret_result);

#endif
