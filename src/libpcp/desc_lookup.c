/* desc_lookup - descriptors of metrics, from the current context. */
#include <errno.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/special.h"
#include "libpcp/trace.h"

int pmLookupDesc(pmID pmid, pmDesc *desc)
{
	const struct special *special = special_by_pmid(pmid);
	struct context *ctx = context_hold_current();
	int r = 0;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	if (special != NULL)
		*desc = special->desc;
	else
		r = ctx->ops->desc(ctx, pmid, desc);
	context_release(ctx);
	trace_call(r, "pmLookupDesc(0x%x)", pmid);
	return r;
}

/* Asks the source for those that are not special. How many of all there are. */
static int lookup_all(struct context *ctx, int n, const pmID *pmids, pmDesc *descs)
{
	AUTO_FREE pmID *others = malloc((size_t)n * sizeof(others[0]));
	AUTO_FREE pmDesc *found = malloc((size_t)n * sizeof(found[0]));
	size_t nothers = 0;
	size_t next = 0;
	int r = 0;

	if (others == NULL || found == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		if (special_by_pmid(pmids[i]) == NULL)
			others[nothers++] = pmids[i];
	}
	if (nothers > 0)
		r = ctx->ops->descs(ctx, nothers, others, found);
	if (r < 0 && n > 1 && nothers == 1 && r != PM_ERR_IPC && r != PM_ERR_TIMEOUT) {
		/* An error for a single metric is a gap in a list. */
		found[0] = (pmDesc){.pmid = PM_ID_NULL};
		r = 0;
	}
	for (int i = 0; i < n && r >= 0; i++) {
		const struct special *special = special_by_pmid(pmids[i]);

		descs[i] = special == NULL ? found[next++] : special->desc;
	}
	return r < 0 ? r : r + n - (int)nothers;
}

int pmLookupDescs(int n, pmID *pmids, pmDesc *descs)
{
	struct context *ctx;
	int r;

	if (n < 1)
		return PM_ERR_TOOSMALL;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = lookup_all(ctx, n, pmids, descs);
	context_release(ctx);
	trace_call(r, "pmLookupDescs(%d)", n);
	return r;
}
