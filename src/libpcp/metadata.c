/*
 * metadata - what the current context knows about metrics and instance domains: descriptors,
 * instances (as they are, or all that ever were), help text, and the label sets of each level
 * (docs/spec/pmapi.md 20). Names are in names.c, values in fetch.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/archive_ops.h"
#include "libpcp/context.h"
#include "libpcp/derive/derive.h"
#include "libpcp/event.h"
#include "libpcp/trace.h"

/* ---- Descriptors ---------------------------------------------------------------------------- */

/* An id of a derived metric that the context does not know may be the source's. */
static int desc_lookup(struct context *ctx, pmID pmid, pmDesc *desc)
{
	int r = derive_is_pmid(pmid) ? derive_desc(ctx, pmid, desc) : PM_ERR_PMID;

	return r == PM_ERR_PMID ? ctx->ops->desc(ctx, pmid, desc) : r;
}

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
		r = desc_lookup(ctx, pmid, desc);
	context_release(ctx);
	trace_call(r, "pmLookupDesc(0x%x)", pmid);
	return r;
}

/* The descriptors that need no question to the source: 1; 0 for others; or an error of binding. */
static int desc_here(struct context *ctx, pmID pmid, pmDesc *ret_desc)
{
	const struct special *special = special_by_pmid(pmid);
	int r;

	if (special != NULL)
		*ret_desc = special->desc;
	if (special != NULL || !derive_is_pmid(pmid))
		return special != NULL;
	r = derive_desc(ctx, pmid, ret_desc);
	if (r == PM_ERR_PMID)
		return 0;
	return r < 0 ? r : 1;
}

/* Asks the source for those that are not here. How many of all there are. */
static int desc_lookup_all(struct context *ctx, int n, const pmID *pmids, pmDesc *descs)
{
	AUTO_FREE pmID *others = malloc((size_t)n * sizeof(others[0]));
	AUTO_FREE pmDesc *found = malloc((size_t)n * sizeof(found[0]));
	AUTO_FREE bool *asked = calloc((size_t)n, sizeof(asked[0]));
	size_t nothers = 0;
	size_t next = 0;
	int here = 0;
	int r = 0;

	if (others == NULL || found == NULL || asked == NULL ||
	    derive_prepare(ctx, (size_t)n, pmids) == -ENOMEM)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		int known = desc_here(ctx, pmids[i], &descs[i]);

		if (known == -ENOMEM || (known < 0 && n == 1))
			return known;
		if (known < 0)
			descs[i].pmid = PM_ID_NULL;
		here += known > 0;
		asked[i] = known == 0;
		if (asked[i])
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
		if (asked[i])
			descs[i] = found[next++];
	}
	return r < 0 ? r : r + here;
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
	r = desc_lookup_all(ctx, n, pmids, descs);
	context_release(ctx);
	trace_call(r, "pmLookupDescs(%d)", n);
	return r;
}

/* ---- Instances ------------------------------------------------------------------------------ */

/* Which instances are meant, and the call that traces name. */
struct tense {
	const char *call;
	int (*instances)(struct context *ctx, pmInDom indom, int inst, const char *name,
			 struct context_insts *ret_insts);
};

static int instances_now(struct context *ctx, pmInDom indom, int inst, const char *name,
			 struct context_insts *ret_insts)
{
	return ctx->ops->instances(ctx, indom, inst, name, ret_insts);
}

static const struct tense now = {"pmGetInDom", instances_now};
static const struct tense ever = {"pmGetInDomArchive", archive_instances_ever};

/* All instances, or the one with an id or a name. How many. */
static int insts_ask(const struct tense *tense, pmInDom indom, int inst, const char *name,
		     struct context_insts *ret_insts)
{
	struct context *ctx;
	int r;

	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	ctx = context_hold_current();
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = tense->instances(ctx, indom, inst, name, ret_insts);
	context_release(ctx);
	trace_call(r, "%s(0x%x, %d, %s)", tense->call, indom, inst, name == NULL ? "NULL" : name);
	if (r >= 0)
		trace_insts(indom, ret_insts, r);
	return r;
}

static void insts_done(struct context_insts *insts)
{
	free(insts->ids);
	free(insts->names);
}

static int insts_get_all(const struct tense *tense, pmInDom indom, int **ret_ids, char ***ret_names)
{
	struct context_insts insts;
	int r = insts_ask(tense, indom, (int)PM_IN_NULL, NULL, &insts);

	if (r < 0)
		return r;
	*ret_ids = insts.ids;
	*ret_names = insts.names;
	return r;
}

static int insts_look_up(const struct tense *tense, pmInDom indom, const char *name)
{
	struct context_insts insts;
	int r = insts_ask(tense, indom, (int)PM_IN_NULL, name, &insts);

	if (r < 0)
		return r;
	r = insts.ids[0];
	insts_done(&insts);
	return r;
}

static int insts_name_of(const struct tense *tense, pmInDom indom, int inst, char **ret_name)
{
	struct context_insts insts;
	char *copy;
	int r = insts_ask(tense, indom, inst, NULL, &insts);

	if (r < 0)
		return r;
	copy = strdup(insts.names[0]);
	insts_done(&insts);
	if (copy == NULL)
		return -ENOMEM;
	*ret_name = copy;
	return 0;
}

int pmGetInDom(pmInDom indom, int **instlist, char ***namelist)
{
	return insts_get_all(&now, indom, instlist, namelist);
}

int pmLookupInDom(pmInDom indom, const char *name)
{
	/* On the wire an empty name means all instances. */
	if (indom != PM_INDOM_NULL && *name == '\0')
		return PM_ERR_INST;
	return insts_look_up(&now, indom, name);
}

int pmNameInDom(pmInDom indom, int inst, char **name)
{
	if (indom != PM_INDOM_NULL && inst == (int)PM_IN_NULL)
		return PM_ERR_INST;
	return insts_name_of(&now, indom, inst, name);
}

int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist)
{
	return insts_get_all(&ever, indom, instlist, namelist);
}

int pmLookupInDomArchive(pmInDom indom, const char *name)
{
	return insts_look_up(&ever, indom, name);
}

int pmNameInDomArchive(pmInDom indom, int inst, char **name)
{
	if (indom != PM_INDOM_NULL && inst == (int)PM_IN_NULL)
		return PM_ERR_INST_LOG;
	return insts_name_of(&ever, indom, inst, name);
}

/* ---- Help text ------------------------------------------------------------------------------ */

enum { LEVELS = PM_TEXT_ONELINE | PM_TEXT_HELP };

static int special_text(const struct special *special, int level, char **ret_text)
{
	char *copy = strdup((level & PM_TEXT_ONELINE) != 0 ? special->oneline : special->help);

	if (copy == NULL)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

/* Without help text the one-line text is returned, unless the caller asked for the help alone. */
static int text_ask(struct context *ctx, unsigned int ident, int kind, int level, char **ret_text)
{
	bool fall_back = (level & PM_TEXT_HELP) != 0 && (level & PM_TEXT_DIRECT) == 0;
	int r = ctx->ops->text(ctx, ident, kind | (level & LEVELS), ret_text);

	if (!fall_back || (r == 0 && **ret_text != '\0'))
		return r;
	if (r == 0)
		free(*ret_text);
	return ctx->ops->text(ctx, ident, kind | PM_TEXT_ONELINE, ret_text);
}

static int text_lookup(unsigned int ident, int kind, int level, char **ret_text)
{
	const struct special *special = kind == PM_TEXT_PMID ? special_by_pmid(ident) : NULL;
	struct context *ctx = context_hold_current();
	int r = PM_ERR_PMID;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	if (special != NULL)
		r = special_text(special, level, ret_text);
	else if (kind == PM_TEXT_PMID && derive_is_pmid(ident))
		r = derive_text(ctx, ident, level, ret_text);
	if (special == NULL && r == PM_ERR_PMID)
		r = text_ask(ctx, ident, kind, level, ret_text);
	context_release(ctx);
	trace_call(r, "pmLookupText(0x%x, %d)", ident, level);
	return r;
}

int pmLookupText(pmID pmid, int level, char **text)
{
	return text_lookup(pmid, PM_TEXT_PMID, level, text);
}

int pmLookupInDomText(pmInDom indom, int level, char **text)
{
	return text_lookup(indom, PM_TEXT_INDOM, level, text);
}

/* ---- Labels --------------------------------------------------------------------------------- */

enum { NLEVEL = 5 }; /* without those of instances */

static int labels_lookup(unsigned int ident, int type, pmLabelSet **ret_sets)
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
	return labels_lookup(PM_ID_NULL, PM_LABEL_CONTEXT, sets);
}

int pmGetDomainLabels(int domain, pmLabelSet **sets)
{
	return labels_lookup((unsigned int)domain, PM_LABEL_DOMAIN, sets);
}

int pmGetInDomLabels(pmInDom indom, pmLabelSet **sets)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : labels_lookup(indom, PM_LABEL_INDOM, sets);
}

int pmGetClusterLabels(pmID pmid, pmLabelSet **sets)
{
	return labels_lookup(pmid, PM_LABEL_CLUSTER, sets);
}

int pmGetItemLabels(pmID pmid, pmLabelSet **sets)
{
	return labels_lookup(pmid, PM_LABEL_ITEM, sets);
}

int pmGetInstancesLabels(pmInDom indom, pmLabelSet **sets)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM
				      : labels_lookup(indom, PM_LABEL_INSTANCES, sets);
}

/* Moves the non-empty sets of one level after those that are there; frees the level's array. */
static void labels_take_sets(pmLabelSet *all, int *n, pmLabelSet *sets, int nsets)
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

static int labels_lookup_levels(struct context *ctx, const pmDesc *desc, pmLabelSet *all, int *n)
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
		labels_take_sets(all, n, sets, r);
	}
	return 0;
}

static int labels_lookup_all(struct context *ctx, pmID pmid, pmLabelSet *all, int *n)
{
	const struct special *special = special_by_pmid(pmid);
	pmDesc desc;
	int r = 0;

	if (special != NULL)
		desc = special->desc;
	else
		r = desc_lookup(ctx, pmid, &desc);
	return r < 0 ? r : labels_lookup_levels(ctx, &desc, all, n);
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
	r = all == NULL ? -ENOMEM : labels_lookup_all(ctx, pmid, all, &n);
	context_release(ctx);
	trace_call(r < 0 ? r : n, "pmLookupLabels(0x%x)", pmid);
	if (r < 0 || n == 0) {
		pmFreeLabelSets(all, n);
		return r;
	}
	*sets = all;
	return n;
}
