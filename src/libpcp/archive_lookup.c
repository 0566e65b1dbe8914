/* archive_lookup - descriptors, instances, text and labels from archives' metadata. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libpcp/archive_ops.h"
#include "libpcp/name_list.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"

static struct archive_meta *meta_of(const struct context *ctx)
{
	return archive_set_meta(archive_source_of(ctx)->set);
}

int archive_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc)
{
	const struct archive_metric *metric = archive_meta_metric(meta_of(ctx), pmid);

	if (metric == NULL)
		return PM_ERR_PMID_LOG;
	*ret_desc = metric->desc;
	return 0;
}

int archive_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		int r = archive_desc(ctx, pmids[i], &ret_descs[i]);

		if (r < 0 && n == 1)
			return r;
		if (r < 0)
			ret_descs[i] = (pmDesc){.pmid = PM_ID_NULL};
		found += r == 0;
	}
	return found;
}

/*
 * Instances
 */

static int copy_insts(const struct wire_inst *insts, size_t n, struct context_insts *ret_insts)
{
	AUTO_FREE struct wire_str *names = calloc(n + 1, sizeof(names[0]));
	AUTO_FREE int *ids = malloc((n + 1) * sizeof(ids[0]));
	char **block;

	if (names == NULL || ids == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		ids[i] = insts[i].inst;
		names[i] = insts[i].name;
	}
	if (str_block_new(names, n, &block) < 0)
		return -ENOMEM;
	*ret_insts = (struct context_insts){.n = (int)n, .names = block};
	if (n > 0)
		ret_insts->ids = TAKE(ids);
	return (int)n;
}

/* All, or the one with an id or a name. */
static int pick_insts(const struct archive_indom *indom, int inst, const char *name,
		      struct context_insts *ret_insts)
{
	const struct wire_inst *found;

	if (name == NULL && inst == (int)PM_IN_NULL)
		return copy_insts(indom->insts, indom->n, ret_insts);
	if (name != NULL)
		inst = archive_indom_lookup(indom, name);
	found = inst < 0 ? NULL : archive_indom_inst(indom, inst);
	return found == NULL ? PM_ERR_INST_LOG : copy_insts(found, 1, ret_insts);
}

int archive_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		      struct context_insts *ret_insts)
{
	const struct archive_indom *then = NULL;
	int r = archive_meta_indom_at(meta_of(ctx), indom, &archive_source_of(ctx)->origin, &then);

	if (r < 0)
		return r;
	return then == NULL ? PM_ERR_INDOM_LOG : pick_insts(then, inst, name, ret_insts);
}

/*
 * Instances of all times: those of the newest observation, then those of the one before it that
 * came no more, and so on.
 */

struct ever {
	const struct archive_indom *all; /* the union, ascending */
	bool *told;                      /* of each in it */
	struct wire_inst *insts;
	size_t n;
};

/* The place of an instance in the union, or its place if it were added, from a place at or before
 * it on. */
static size_t place_of(const struct archive_indom *all, size_t from, int inst)
{
	size_t to = all->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (all->insts[mid].inst < inst)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Both lists ascend; the union may be much longer, and observations many. */
static void add_observation(struct ever *ever, const struct archive_indom *indom)
{
	size_t k = 0;

	for (size_t i = 0; i < indom->n; i++) {
		k = place_of(ever->all, k, indom->insts[i].inst);
		if (k == ever->all->n)
			return;
		if (ever->told[k] || ever->all->insts[k].inst != indom->insts[i].inst)
			continue;
		ever->told[k] = true;
		ever->insts[ever->n++] = ever->all->insts[k];
	}
}

static int list_ever(struct archive_meta *meta, const struct archive_indom *all,
		     struct context_insts *ret_insts)
{
	const struct archive_indom *const *observations = NULL;
	int n = archive_meta_indom(meta, all->indom, &observations);
	AUTO_FREE bool *told = calloc(all->n + 1, sizeof(told[0]));
	AUTO_FREE struct wire_inst *insts = calloc(all->n + 1, sizeof(insts[0]));
	struct ever ever = {.all = all, .told = told, .insts = insts};

	if (n < 0)
		return n;
	if (told == NULL || insts == NULL)
		return -ENOMEM;
	for (int i = n; i > 0 && ever.n < all->n; i--)
		add_observation(&ever, observations[i - 1]);
	return copy_insts(insts, ever.n, ret_insts);
}

/* By name: of several that had it, the one of the newest observation. */
static int find_ever(struct archive_meta *meta, const struct archive_indom *all, const char *name,
		     struct context_insts *ret_insts)
{
	const struct archive_indom *const *observations = NULL;
	int n = archive_meta_indom(meta, all->indom, &observations);

	if (n < 0)
		return n;
	if (archive_indom_lookup(all, name) < 0)
		return PM_ERR_INST_LOG;
	for (int i = n; i > 0; i--) {
		int inst = archive_indom_lookup(observations[i - 1], name);

		if (inst >= 0)
			return pick_insts(observations[i - 1], inst, NULL, ret_insts);
	}
	return PM_ERR_INST_LOG;
}

int archive_instances_ever(struct context *ctx, pmInDom indom, int inst, const char *name,
			   struct context_insts *ret_insts)
{
	const struct archive_indom *all = NULL;
	int r;

	if (ctx->ops != &archive_ops)
		return PM_ERR_NOTARCHIVE;
	r = archive_meta_indom_union(meta_of(ctx), indom, &all);
	if (r < 0)
		return r;
	if (all == NULL || all->n == 0)
		return PM_ERR_INDOM_LOG;
	if (name == NULL && inst == (int)PM_IN_NULL)
		return list_ever(meta_of(ctx), all, ret_insts);
	if (name != NULL)
		return find_ever(meta_of(ctx), all, name, ret_insts);
	return pick_insts(all, inst, NULL, ret_insts);
}

/*
 * Text and labels
 */

int archive_text(struct context *ctx, unsigned int ident, int type, char **ret_text)
{
	int r = PM_ERR_TEXT;
	const char *text = archive_meta_text(meta_of(ctx), type, ident, &r);
	char *copy;

	if (text == NULL)
		return r;
	copy = strdup(text);
	if (copy == NULL)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

/* An archive without labels of its context has its host's name for one; one that has them later has
 * none before. */
static int stand_in(struct context *ctx, int type, pmLabelSet **ret_sets)
{
	char json[LOG_LABEL_TEXT + 32];
	pmLabelSet *set = NULL;
	int r;

	if (type != PM_LABEL_CONTEXT)
		return 0;
	pmsprintf(json, sizeof(json), "{\"hostname\":\"%s\"}",
		  archive_set_label(archive_source_of(ctx)->set)->host);
	r = __pmParseLabelSet(json, (int)strlen(json), PM_LABEL_CONTEXT, &set);
	if (r > 0)
		*ret_sets = set;
	return r;
}

int archive_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets)
{
	int r;

	if (type == PM_LABEL_CLUSTER)
		ident = pmID_build(pmID_domain(ident), pmID_cluster(ident), 0);
	r = archive_meta_labels(meta_of(ctx), type, ident, &archive_source_of(ctx)->origin, ret_sets);
	return r == PM_ERR_NOLABELS ? stand_in(ctx, type, ret_sets) : r;
}
