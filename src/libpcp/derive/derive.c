/* derive - see derive.h. */
#include "libpcp/derive/derive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/derive/plan.h"

void derive_free(struct derive *d)
{
	if (d == NULL)
		return;
	plan_free(d->plan);
	bound_set_done(&d->global_bounds);
	bound_set_done(&d->own_bounds);
	deflist_done(&d->own);
	free(d);
}

struct derive *derive_of(struct context *ctx)
{
	if (ctx->derive == NULL)
		ctx->derive = calloc(1, sizeof(*ctx->derive));
	return ctx->derive;
}

void derive_reset(struct context *ctx)
{
	derive_free(ctx->derive);
	ctx->derive = NULL;
}

/* ---- One metric ----------------------------------------------------------------------------- */

const struct definition *derive_by_name(struct context *ctx, const char *name)
{
	const struct definition *def = NULL;

	if (ctx != NULL && ctx->derive != NULL)
		def = deflist_find(&ctx->derive->own, name);
	return def != NULL ? def : registry_by_name(name);
}

const struct definition *derive_by_pmid(struct context *ctx, pmID pmid)
{
	long own = registry_own_number(pmid);

	if (own < 0)
		return registry_by_pmid(pmid);
	if (ctx == NULL || ctx->derive == NULL || (size_t)own >= ctx->derive->own.n)
		return NULL;
	return ctx->derive->own.defs[own];
}

/* The index of a definition in its list. */
static size_t index_of(pmID pmid)
{
	long own = registry_own_number(pmid);

	return own >= 0 ? (size_t)own : registry_index(pmid);
}

int derive_find(struct context *ctx, pmID pmid, struct bound **ret_bound)
{
	const struct definition *def = derive_by_pmid(ctx, pmid);
	struct derive *d = def == NULL ? NULL : derive_of(ctx);
	struct bound *b;

	if (def == NULL)
		return PM_ERR_PMID;
	if (d == NULL)
		return -ENOMEM;
	b = bound_get(registry_own_number(pmid) >= 0 ? &d->own_bounds : &d->global_bounds,
		      index_of(pmid), def);
	if (b == NULL)
		return -ENOMEM;
	*ret_bound = b;
	return 0;
}

/* Operands are one set, whichever list a metric is in. */
int derive_bind(struct context *ctx, struct bound *const *bounds, size_t n)
{
	return bound_bind(&ctx->derive->global_bounds, ctx, bounds, n, true);
}

int derive_prepare(struct context *ctx, size_t n, const pmID *pmids)
{
	AUTO_FREE struct bound **bounds = NULL;
	size_t nbounds = 0;
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most += derive_is_pmid(pmids[i]);
	if (most == 0)
		return 0;
	bounds = malloc(most * sizeof(bounds[0]));
	if (bounds == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int r = derive_is_pmid(pmids[i]) ? derive_find(ctx, pmids[i], &bounds[nbounds])
						 : PM_ERR_PMID;

		if (r == -ENOMEM)
			return r;
		nbounds += r == 0;
	}
	return nbounds == 0 ? 0 : derive_bind(ctx, bounds, nbounds);
}

int derive_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc)
{
	struct bound *b;
	int r = derive_find(ctx, pmid, &b);

	if (r == 0)
		r = derive_bind(ctx, &b, 1);
	if (r < 0)
		return r;
	if (b->state != BOUND_GOOD)
		return PM_ERR_BADDERIVE;
	*ret_desc = bound_desc(b);
	return 0;
}

/* As in 6.0.3, only global metrics have help text. */
int derive_text(struct context *ctx, pmID pmid, int level, char **ret_text)
{
	const struct definition *def =
	    registry_own_number(pmid) >= 0 ? NULL : derive_by_pmid(ctx, pmid);
	const char *text = NULL;
	char *copy;

	if (def == NULL)
		return PM_ERR_PMID;
	if ((level & PM_TEXT_ONELINE) == 0)
		text = registry_text(def, false);
	if (text == NULL && ((level & PM_TEXT_ONELINE) != 0 || (level & PM_TEXT_DIRECT) == 0))
		text = registry_text(def, true);
	if (text == NULL)
		return PM_ERR_TEXT;
	copy = strdup(text);
	if (copy == NULL)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

/* ---- All metrics ---------------------------------------------------------------------------- */

/* The metrics of the context, the global ones first, in an array for the caller. */
static int all_bounds(struct context *ctx, struct bound ***ret_bounds)
{
	struct derive *d = derive_of(ctx);
	size_t nglobal = registry_count();
	size_t n = 0;
	struct bound **all;

	if (d == NULL)
		return -ENOMEM;
	all = malloc((nglobal + d->own.n + 1) * sizeof(all[0]));
	if (all == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < nglobal + d->own.n; i++) {
		const struct definition *def =
		    i < nglobal ? registry_at(i) : d->own.defs[i - nglobal];

		if (i < nglobal && deflist_find(&d->own, def->name) != NULL)
			continue; /* hidden */
		if (derive_find(ctx, def->pmid, &all[n]) < 0) {
			free(all);
			return -ENOMEM;
		}
		n++;
	}
	*ret_bounds = all;
	return (int)n;
}

int derive_names(struct context *ctx, bool bind, const char ***ret_names)
{
	AUTO_FREE struct bound **all = NULL;
	const char **names;
	int n = all_bounds(ctx, &all);
	int good = 0;
	int r;

	if (n < 0)
		return n;
	r = bind ? derive_bind(ctx, all, (size_t)n) : 0;
	if (r < 0)
		return r;
	names = malloc(((size_t)n + 1) * sizeof(names[0]));
	if (names == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		if (all[i]->state != BOUND_BAD)
			names[good++] = all[i]->def->name;
	}
	*ret_names = names;
	return good;
}
