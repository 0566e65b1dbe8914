/* label_lookup - the label sets of each level, from the current context (docs/spec/pmapi.md 20). */
#include <errno.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libpcp/context.h"
#include "libpcp/special.h"
#include "libpcp/trace.h"

enum { NLEVEL = 5 }; /* without those of instances */

static int lookup(unsigned int ident, int type, pmLabelSet **ret_sets)
{
	struct context *ctx;
	int r;

	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = ctx->ops->labels(ctx, ident, type, ret_sets);
	context_release(ctx);
	trace_call(r, "pmGetLabels(0x%x, 0x%x)", ident, type);
	if (r > 0)
		trace_labels(ident, type, *ret_sets, r);
	return r;
}

int pmGetContextLabels(pmLabelSet **sets)
{
	return lookup(PM_ID_NULL, PM_LABEL_CONTEXT, sets);
}

int pmGetDomainLabels(int domain, pmLabelSet **sets)
{
	return lookup((unsigned int)domain, PM_LABEL_DOMAIN, sets);
}

int pmGetInDomLabels(pmInDom indom, pmLabelSet **sets)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : lookup(indom, PM_LABEL_INDOM, sets);
}

int pmGetClusterLabels(pmID pmid, pmLabelSet **sets)
{
	return lookup(pmid, PM_LABEL_CLUSTER, sets);
}

int pmGetItemLabels(pmID pmid, pmLabelSet **sets)
{
	return lookup(pmid, PM_LABEL_ITEM, sets);
}

int pmGetInstancesLabels(pmInDom indom, pmLabelSet **sets)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : lookup(indom, PM_LABEL_INSTANCES, sets);
}

/* Moves the non-empty sets of one level after those that are there; frees the level's array. */
static void take_sets(pmLabelSet *all, int *n, pmLabelSet *sets, int nsets)
{
	for (int i = 0; i < nsets; i++) {
		/* Each of these levels has one set. */
		if (sets[i].nlabels > 0 && *n < NLEVEL) {
			all[(*n)++] = sets[i];
			sets[i] = (pmLabelSet){0};
		}
	}
	pmFreeLabelSets(sets, nsets);
}

static int lookup_levels(struct context *ctx, const pmDesc *desc, pmLabelSet *all, int *n)
{
	const struct {
		int type;
		unsigned int ident;
	} levels[NLEVEL] = {
	    {PM_LABEL_CONTEXT, PM_ID_NULL}, {PM_LABEL_DOMAIN, pmID_domain(desc->pmid)},
	    {PM_LABEL_INDOM, desc->indom},  {PM_LABEL_CLUSTER, desc->pmid},
	    {PM_LABEL_ITEM, desc->pmid},
	};

	for (int i = 0; i < NLEVEL; i++) {
		pmLabelSet *sets = NULL;
		int r;

		if (levels[i].type == PM_LABEL_INDOM && desc->indom == PM_INDOM_NULL)
			continue;
		r = ctx->ops->labels(ctx, levels[i].ident, levels[i].type, &sets);
		if (r < 0)
			return r;
		if (r > 0)
			trace_labels(levels[i].ident, levels[i].type, sets, r);
		take_sets(all, n, sets, r);
	}
	return 0;
}

static int lookup_all(struct context *ctx, pmID pmid, pmLabelSet *all, int *n)
{
	const struct special *special = special_by_pmid(pmid);
	pmDesc desc;
	int r = 0;

	if (special != NULL)
		desc = special->desc;
	else
		r = ctx->ops->desc(ctx, pmid, &desc);
	return r < 0 ? r : lookup_levels(ctx, &desc, all, n);
}

int pmLookupLabels(pmID pmid, pmLabelSet **sets)
{
	struct context *ctx = context_hold_current();
	pmLabelSet *all;
	int n = 0;
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	all = calloc(NLEVEL, sizeof(all[0]));
	r = all == NULL ? -ENOMEM : lookup_all(ctx, pmid, all, &n);
	context_release(ctx);
	trace_call(r < 0 ? r : n, "pmLookupLabels(0x%x)", pmid);
	if (r < 0 || n == 0) {
		pmFreeLabelSets(all, n);
		return r;
	}
	*sets = all;
	return n;
}
