/* dynamic - see dynamic.h. */
#include "libpcp_pmda/dynamic.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp_pmda/ext.h"

enum { DYNAMIC_METRICS_MAX = 1 << 22 }; /* more than a domain has PMIDs */

static struct dynamic_list of_process;

/* ---- registering ---------------------------------------------------------------------------- */

static void list_add(struct dynamic_list *list, const struct dynamic *entry)
{
	struct dynamic *grown = realloc(list->entries, (size_t)(list->n + 1) * sizeof(*grown));

	if (grown == NULL) {
		pmNotifyErr(LOG_ERR, "out-of-memory registering dynamic metrics");
		return;
	}
	grown[list->n++] = *entry;
	list->entries = grown;
}

void pmdaDynamicPMNS(const char *prefix, int *clusters, int nclusters, pmdaUpdatePMNS pmns,
		     pmdaUpdateText text, pmdaUpdateMetric metric, pmdaCountMetrics count,
		     pmdaMetric *metrics, int nmetrics)
{
	const struct dynamic entry = {prefix,  pmns,     text, metric, count,
				      metrics, nmetrics, NULL, 0};

	list_add(&of_process, &entry);
}

void pmdaExtDynamicPMNS(const char *prefix, int *clusters, int nclusters, pmdaUpdatePMNS pmns,
			pmdaUpdateText text, pmdaUpdateMetric metric, pmdaCountMetrics count,
			pmdaMetric *metrics, int nmetrics, pmdaExt *ext)
{
	const struct dynamic entry = {prefix,  pmns,     text, metric, count,
				      metrics, nmetrics, NULL, 0};

	list_add(&ext_of(ext)->dynamic, &entry);
}

int pmdaDynamicSetClusterMask(const char *prefix, unsigned int mask)
{
	for (int i = 0; i < of_process.n; i++) {
		if (strcmp(of_process.entries[i].prefix, prefix) == 0) {
			of_process.entries[i].mask = mask;
			return 0;
		}
	}
	return -EINVAL;
}

static struct dynamic_list *list_of(pmdaExt *ext)
{
	struct dynamic_list *own = &ext_of(ext)->dynamic;

	return own->n > 0 ? own : &of_process;
}

/* ---- the metric table ----------------------------------------------------------------------- */

static bool tree_has_metric(pmdaNameSpace *tree, pmID pmid)
{
	if (tree == NULL || tree->htabsize == 0)
		return false;
	for (const __pmnsNode *n = tree->htab[pmid % (unsigned int)tree->htabsize]; n != NULL;
	     n = n->hash) {
		if (n->pmid == pmid)
			return true;
	}
	return false;
}

/* Asks a registration how many metrics it makes: copies of so many, so many times. */
static int entry_count(const struct dynamic *entry, int *ret_copies)
{
	int total = 0, copies = 0, n;

	entry->count(&total, &copies);
	*ret_copies = copies > 0 ? copies : 0;
	if (total <= 0 || copies <= 0)
		return 0;
	return __builtin_mul_overflow(total, copies, &n) || n > DYNAMIC_METRICS_MAX ? -E2BIG : n;
}

/* How many slots all registrations ask for, or -E2BIG. */
static int list_count(const struct dynamic_list *list)
{
	int copies, total = 0;

	for (int i = 0; i < list->n; i++) {
		int n = entry_count(&list->entries[i], &copies);

		if (n < 0 || total > DYNAMIC_METRICS_MAX - n)
			return -E2BIG;
		total += n;
	}
	return total;
}

/* A table under construction. */
struct table {
	pmdaMetric *metrics;
	int n;
	int cap;
};

/* The copies of the metrics that have names. Callbacks that count too low get no more room. */
static void table_add(struct table *t, struct dynamic *entry, pmdaExt *ext)
{
	int copies;

	entry->update_names(ext, &entry->tree);
	if (entry_count(entry, &copies) <= 0)
		return;
	for (int m = 0; m < entry->nmetrics; m++) {
		if (!tree_has_metric(entry->tree, entry->metrics[m].m_desc.pmid))
			continue;
		for (int id = 1; id <= copies && t->n < t->cap; id++)
			entry->update_metric(&entry->metrics[m], &t->metrics[t->n++], id);
	}
}

/* The agent gets another table; the one generated before goes. */
static void table_install(pmdaExt *ext, pmdaMetric *generated, pmdaMetric *metrics, int nmetrics)
{
	struct ext *own = ext_of(ext);
	pmdaMetric *old = own->generated;

	own->generated = generated;
	pmdaRehash(ext, metrics, nmetrics);
	free(old);
}

void pmdaDynamicMetricTable(pmdaExt *ext)
{
	struct dynamic_list *list = list_of(ext);
	const struct dynamic *fixed = list->entries;
	struct table t = {0};
	int extra;

	if (list->n == 0)
		return;
	extra = list_count(list);
	if (extra > 0)
		t.metrics = calloc((size_t)fixed->nmetrics + (size_t)extra, sizeof(*t.metrics));
	if (t.metrics == NULL) {
		table_install(ext, NULL, fixed->metrics, fixed->nmetrics);
		return;
	}
	t.n = fixed->nmetrics;
	t.cap = fixed->nmetrics + extra;
	if (t.n > 0)
		memcpy(t.metrics, fixed->metrics, (size_t)t.n * sizeof(*t.metrics));
	for (int i = 0; i < list->n; i++)
		table_add(&t, &list->entries[i], ext);
	table_install(ext, t.metrics, t.metrics, t.n);
}

/* ---- looking up ----------------------------------------------------------------------------- */

/* All trees as they are now; a change of names changes the table of metrics. */
static struct dynamic_list *list_update(pmdaExt *ext)
{
	struct dynamic_list *list = list_of(ext);
	int changed = 0;

	for (int i = 0; i < list->n; i++)
		changed |= list->entries[i].update_names(ext, &list->entries[i].tree);
	if (changed != 0)
		pmdaDynamicMetricTable(ext);
	return list;
}

pmdaNameSpace *pmdaDynamicLookupName(pmdaExt *ext, const char *name)
{
	const struct dynamic_list *list = list_update(ext);

	for (int i = 0; i < list->n; i++) {
		pmdaNameSpace *tree = list->entries[i].tree;

		if (tree != NULL && pmdaNodeLookup(tree->root->first, name) != NULL)
			return tree;
	}
	return NULL;
}

pmdaNameSpace *pmdaDynamicLookupPMID(pmdaExt *ext, pmID pmid)
{
	const struct dynamic_list *list = list_update(ext);

	for (int i = 0; i < list->n; i++) {
		if (tree_has_metric(list->entries[i].tree, pmid))
			return list->entries[i].tree;
	}
	return NULL;
}

int pmdaDynamicLookupText(pmID pmid, int type, char **text, pmdaExt *ext)
{
	const struct dynamic_list *list = list_update(ext);

	for (int i = 0; i < list->n; i++) {
		if (tree_has_metric(list->entries[i].tree, pmid))
			return list->entries[i].update_text(ext, pmid, type, text);
	}
	return -ENOENT;
}
