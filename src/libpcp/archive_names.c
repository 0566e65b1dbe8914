/*
 * archive_names - the name space of an archive context: the names in the archives' descriptors.
 *
 * A single name is looked up in place; a tree is made for questions about nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp/archive_ops.h"
#include "libpcp/name_list.h"
#include "libpmns/pmns.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"

/* A name that can't be in a tree, or is a leaf and has others below it, stays out. */
static int add_metric(struct pmns *ns, const struct archive_metric *metric)
{
	for (size_t i = 0; i < metric->nnames; i++) {
		const char *name = metric->names[i];

		if (pmns_add(ns, name, strlen(name), metric->desc.pmid) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int add_leaf(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, (int)e->pmid);
}

/*
 * The same names, with the children of each node in reverse order: 6.0.3 shows the newest first.
 * Leaves in their order, taken backward, are that.
 */
static int turn_round(const struct pmns *ns, struct pmns *turned)
{
	struct name_list list = {0};
	int r = pmns_traverse(ns, "", 0, add_leaf, &list);

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

static int lookup_one(struct archive_source *a, const char *name, pmID *ret_pmid)
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
		r = lookup_one(archive_source_of(ctx), names[0], &pmids[0]);
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

static int add_base(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->base, e->base_len, pmns_status(e));
}

static int add_name(void *arg, const struct pmns_entry *e)
{
	return name_list_add(arg, e->name, e->name_len, 0);
}

int archive_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status)
{
	struct archive_source *a = archive_source_of(ctx);
	struct name_list list = {0};
	int r = need_tree(a);

	if (r == 0)
		r = pmns_children(a->names, name, strlen(name), add_base, &list);
	return name_list_done(&list, r, ret_names, ret_status);
}

int archive_traverse(struct context *ctx, const char *name, char ***ret_names)
{
	struct archive_source *a = archive_source_of(ctx);
	struct name_list list = {0};
	int r = need_tree(a);

	if (r == 0)
		r = pmns_traverse(a->names, name, strlen(name), add_name, &list);
	return name_list_done(&list, r, ret_names, NULL);
}
