/* meta_query - see meta_query.h. */
#include "daemons/pmlogger/meta_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"

/* Questions that each cost a round trip, and how long some may take together. */
enum { SLICE = 64, SLICE_MS = 10 };

struct meta_query_item *meta_query_add(struct meta_query *meta, enum meta_query_kind kind, int type,
				       uint32_t ident)
{
	struct meta_query_item *item;

	if (meta->n == meta->room) {
		size_t room = meta->room > 0 ? meta->room * 2 : 16;

		item = reallocarray(meta->items, room, sizeof(*item));
		if (item == NULL)
			return NULL;
		meta->items = item;
		meta->room = room;
	}
	item = &meta->items[meta->n++];
	meta->nasked += kind != META_QUERY_KNOWN;
	*item = (struct meta_query_item){.kind = kind, .type = type, .ident = ident};
	return item;
}

static void item_done(struct meta_query_item *item)
{
	if (item->sets != NULL)
		pmFreeLabelSets(item->sets, item->n);
	free(item->text);
	free(item->insts);
	free(item->names);
}

void meta_query_done(struct meta_query *meta)
{
	for (size_t i = 0; i < meta->n; i++)
		item_done(&meta->items[i]);
	free(meta->items);
	meta->items = NULL;
	meta->n = meta->room = meta->nasked = meta->next = 0;
}

static int get_labels(struct meta_query_item *item)
{
	switch (item->type) {
	case PM_LABEL_CONTEXT:
		return pmGetContextLabels(&item->sets);
	case PM_LABEL_DOMAIN:
		return pmGetDomainLabels((int)item->ident, &item->sets);
	case PM_LABEL_INDOM:
		return pmGetInDomLabels(item->ident, &item->sets);
	case PM_LABEL_CLUSTER:
		return pmGetClusterLabels(item->ident, &item->sets);
	case PM_LABEL_ITEM:
		return pmGetItemLabels(item->ident, &item->sets);
	default:
		return pmGetInstancesLabels(item->ident, &item->sets);
	}
}

static int meta_query_get_text(struct meta_query_item *item)
{
	int level = item->type & (PM_TEXT_ONELINE | PM_TEXT_HELP);

	if ((item->type & PM_TEXT_INDOM) != 0)
		return pmLookupInDomText(item->ident, level, &item->text);
	return pmLookupText(item->ident, level, &item->text);
}

static int meta_query_get_indom(struct meta_query_item *item)
{
	return pmGetInDom(item->ident, &item->insts, &item->names);
}

static int get_desc(struct meta_query_item *item)
{
	int r = pmLookupDesc(item->ident, &item->desc);

	return r < 0 ? r : pmNameAll(item->ident, &item->names);
}

static int (*const gets[])(struct meta_query_item *item) = {
    [META_QUERY_LABELS] = get_labels,
    [META_QUERY_TEXT] = meta_query_get_text,
    [META_QUERY_INDOM] = meta_query_get_indom,
    [META_QUERY_DESC] = get_desc,
};

/* Takes one answer; false when the connection is lost. */
static bool answer(struct meta_query *meta, struct meta_query_item *item, struct worker *worker)
{
	int r = gets[item->kind](item);

	item->n = r > 0 ? r : 0;
	item->err = r < 0 ? r : 0;
	meta->lost = r < 0 && worker_lost(worker, r);
	return !meta->lost;
}

int meta_query_run(struct worker_job *job, struct worker *worker)
{
	struct meta_query *meta = CONTAINER_OF(job, struct meta_query, job);
	int r = worker_ready(worker), asked = 0;
	uint64_t end_ms = clock_mono_ms() + SLICE_MS;

	meta->lost = r < 0;
	while (meta->next < meta->n && asked < SLICE && !meta->lost && clock_mono_ms() < end_ms) {
		struct meta_query_item *item = &meta->items[meta->next++];

		if (item->kind == META_QUERY_KNOWN)
			continue;
		asked++;
		if (!answer(meta, item, worker))
			r = item->err;
	}
	if (meta->lost)
		return r;
	return meta->next < meta->n;
}

/* The descriptors of items up to end, with one request. 0 or a loss. */
static int some_descs(struct meta_query *meta, struct worker *worker, size_t end)
{
	size_t n = end - meta->next;
	AUTO_FREE pmID *pmids = calloc(n, sizeof(*pmids));
	AUTO_FREE pmDesc *descs = calloc(n, sizeof(*descs));
	int r;

	if (pmids == NULL || descs == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		pmids[i] = meta->items[meta->next + i].ident;
	r = pmLookupDescs((int)n, pmids, descs);
	if (r < 0 && worker_lost(worker, r))
		return r;
	for (size_t i = 0; i < n; i++) {
		struct meta_query_item *item = &meta->items[meta->next + i];

		item->err = r < 0 || descs[i].pmid != item->ident ? PM_ERR_PMID : 0;
		if (item->err == 0)
			item->desc = descs[i];
	}
	return 0;
}

/* A metric without a name can be logged as well. */
static int some_names(struct meta_query *meta, struct worker *worker, size_t end)
{
	size_t n = end - meta->next;
	AUTO_FREE pmID *pmids = calloc(n, sizeof(*pmids));
	AUTO_FREE char ***names = calloc(n, sizeof(*names));
	AUTO_FREE int *counts = calloc(n, sizeof(*counts));
	int r;

	if (pmids == NULL || names == NULL || counts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		pmids[i] = meta->items[meta->next + i].ident;
	r = pitot_names_all((int)n, pmids, names, counts);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct meta_query_item *item = &meta->items[meta->next + i];

		item->names = names[i];
		item->n = counts[i] > 0 ? counts[i] : 0;
	}
	if (r == 0)
		r = counts[n - 1]; /* a loss is the last one's too */
	return r < 0 && worker_lost(worker, r) ? r : 0;
}

int meta_query_some(struct meta_query *meta, struct worker *worker, size_t max, bool names)
{
	size_t end = meta->n - meta->next > max ? meta->next + max : meta->n;
	int r = worker_ready(worker);

	if (r == 0 && end > meta->next && meta->items[meta->next].kind == META_QUERY_DESC) {
		r = some_descs(meta, worker, end);
		if (r == 0 && names)
			r = some_names(meta, worker, end);
	} else {
		for (size_t i = meta->next; r == 0 && i < end; i++) {
			if (!answer(meta, &meta->items[i], worker))
				r = meta->items[i].err;
		}
	}
	meta->lost = r < 0;
	meta->next = end;
	return r < 0 ? r : end < meta->n;
}
