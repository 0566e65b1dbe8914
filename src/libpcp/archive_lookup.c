/*
 * archive_lookup - names, descriptors, instances, text and labels from the metadata of archives.
 *
 * A single name is looked up in place; a tree is made for questions about nodes.
 */
#include "libpcp/archive_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libpcp/name_list.h"
#include "libpmns/pmns.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"

/* ---- Names ---------------------------------------------------------------------------------- */

/* Leaves out names that the tree cannot hold: malformed ones, and leaves with names below them. */
static int add_metric(struct pmns *ns, const struct archive_metric *metric)
{
	for (size_t i = 0; i < metric->nnames; i++) {
		const char *name = metric->names[i];

		if (pmns_add(ns, name, strlen(name), metric->desc.pmid) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int archive_add_leaf(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, (int)e->pmid);
}

/*
 * The same names, with the children of each node in reverse order: 6.0.3 shows the newest first.
 * Adding the leaves backward gives that order.
 */
static int turn_round(const struct pmns *ns, struct pmns *turned)
{
	struct name_list list = {0};
	int r = pmns_traverse(ns, "", 0, archive_add_leaf, &list);

	for (size_t i = list.n; i > 0 && r >= 0; i--) {
		const struct wire_str *name = &list.names[i - 1];

		r = pmns_add(turned, name->s, name->len, (pmID)list.status[i - 1]);
	}
	name_list_drop(&list);
	return r;
}

static int make_tree(struct archive_source *a)
{
	const struct archive_metric *const *metrics;
	struct pmns *turned = pmns_new();
	struct pmns *ns = pmns_new();
	size_t n;
	int r = ns == NULL || turned == NULL ? -ENOMEM : 0;

	metrics = archive_meta_metrics(archive_set_meta(a->set), &n);
	for (size_t i = 0; i < n && r == 0; i++)
		r = add_metric(ns, metrics[i]);
	if (r == 0)
		r = turn_round(ns, turned);
	pmns_free(ns);
	if (r < 0) {
		pmns_free(turned);
		return r;
	}
	pmns_free(a->names);
	a->names = turned;
	a->names_grown = archive_set_grown(a->set);
	return 0;
}

static int need_tree(struct archive_source *a)
{
	if (a->names != NULL && a->names_grown == archive_set_grown(a->set))
		return 0;
	return make_tree(a);
}

int archive_location(struct context *ctx)
{
	return PMNS_ARCHIVE;
}

static int archive_lookup_one(struct archive_source *a, const char *name, pmID *ret_pmid)
{
	struct pmns_entry e;
	int r;

	*ret_pmid = archive_meta_pmid(archive_set_meta(a->set), name);
	if (*ret_pmid != PM_ID_NULL)
		return 0;
	r = need_tree(a);
	if (r == 0)
		r = *name == '\0' ? PM_ERR_NAME : pmns_lookup(a->names, name, strlen(name), &e);
	return r < 0 ? r : PM_ERR_NONLEAF;
}

int archive_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids)
{
	struct archive_meta *meta = archive_set_meta(archive_source_of(ctx)->set);
	int found = 0;
	int r;

	if (n == 1) {
		r = archive_lookup_one(archive_source_of(ctx), names[0], &pmids[0]);
		return r < 0 ? r : 1;
	}
	for (size_t i = 0; i < n; i++) {
		pmids[i] = archive_meta_pmid(meta, names[i]);
		found += pmids[i] != PM_ID_NULL;
	}
	return found;
}

int archive_name_all(struct context *ctx, pmID pmid, char ***ret_names)
{
	struct archive_meta *meta = archive_set_meta(archive_source_of(ctx)->set);
	const struct archive_metric *metric = archive_meta_metric(meta, pmid);
	struct name_list list = {0};
	int r = 0;

	if (metric == NULL || metric->nnames == 0)
		return PM_ERR_PMID;
	for (size_t i = 0; i < metric->nnames && r >= 0; i++) {
		const char *name = metric->names[i];

		r = name_list_add(&list, name, (uint32_t)strlen(name), 0);
	}
	return name_list_done(&list, r, ret_names, NULL);
}

static int archive_add_base(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->base, e->base_len, pmns_status(e));
}

static int archive_add_name(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, 0);
}

int archive_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status)
{
	struct archive_source *a = archive_source_of(ctx);
	struct name_list list = {0};
	int r = need_tree(a);

	if (r == 0)
		r = pmns_children(a->names, name, strlen(name), archive_add_base, &list);
	return name_list_done(&list, r, ret_names, ret_status);
}

int archive_traverse(struct context *ctx, const char *name, char ***ret_names)
{
	struct archive_source *a = archive_source_of(ctx);
	struct name_list list = {0};
	int r = need_tree(a);

	if (r == 0)
		r = pmns_traverse(a->names, name, strlen(name), archive_add_name, &list);
	return name_list_done(&list, r, ret_names, NULL);
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

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

/* ---- Instances ------------------------------------------------------------------------------ */

static int archive_copy_insts(const struct wire_inst *insts, size_t n,
			      struct context_insts *ret_insts)
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
		return archive_copy_insts(indom->insts, indom->n, ret_insts);
	if (name != NULL)
		inst = archive_indom_lookup(indom, name);
	found = inst < 0 ? NULL : archive_indom_inst(indom, inst);
	return found == NULL ? PM_ERR_INST_LOG : archive_copy_insts(found, 1, ret_insts);
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
 * Instances of all times: those of the newest observation, then those that only the one before it
 * has, and so on.
 */

struct ever {
	const struct archive_indom *all; /* the union, ascending */
	bool *told;                      /* of each in it */
	struct wire_inst *insts;
	size_t n;
};

/* The place of an instance in the union, or the place to insert it at. The search starts at a place
 * at or before it. */
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

/* Both lists ascend. The union may be much longer, and there may be many observations. */
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
	return archive_copy_insts(insts, ever.n, ret_insts);
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

	if (!archive_is_source(ctx))
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

/* ---- Text and labels ------------------------------------------------------------------------ */

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

/* Context labels for an archive that has none at this time: its host's name. */
static int archive_stand_in(struct context *ctx, int type, pmLabelSet **ret_sets)
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
	r = archive_meta_labels(meta_of(ctx), type, ident, &archive_source_of(ctx)->origin,
				ret_sets);
	return r == PM_ERR_NOLABELS ? archive_stand_in(ctx, type, ret_sets) : r;
}
