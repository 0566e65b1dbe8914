/* metadata - see metadata.h. */
#include "daemons/pmlogger/metadata.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/events.h"
#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/meta_query.h"
#include "libbase/cleanup.h"
#include "libstore/archive_writer.h"

enum {
	DYNAMIC_DOMAIN = 511,
	CLUSTER_REPLAYED = 2048, /* of a derived metric in an archive */
	INSTS_LABELLED = 1000,   /* a larger domain gets no labels for each instance that comes */
};

/* A question that was asked for this archive. */
struct asked {
	int kind, type;
	uint32_t ident;
	bool answered; /* labels: losing the collector does not make it a new question */
	bool ahead;    /* and not answered yet: a record that needs it now asks again */
};

/* The sources of a list of questions. */
struct asking {
	struct metadata *md;
	const struct archive_writer *w;
	struct meta_query *list;
	bool ahead;
	int err;
};

pmID metadata_pmid(pmID pmid)
{
	unsigned int cluster = pmID_cluster(pmid);

	if (pmID_domain(pmid) != DYNAMIC_DOMAIN || (cluster & CLUSTER_REPLAYED) != 0)
		return pmid;
	return pmID_build(DYNAMIC_DOMAIN, cluster | CLUSTER_REPLAYED, pmID_item(pmid));
}

static uint64_t asked_hash(const struct asked *a)
{
	return hash_u64((uint64_t)a->ident << 32 ^ (uint64_t)(uint32_t)a->type << 8 ^
			(unsigned int)a->kind);
}

static bool asked_eq(const void *entry, const void *key)
{
	const struct asked *a = entry, *b = key;

	return a->kind == b->kind && a->type == b->type && a->ident == b->ident;
}

static bool domain_eq(const void *entry, const void *key)
{
	return ((const struct metadata_domain *)entry)->indom == *(const pmInDom *)key;
}

static void free_all(struct hash *h)
{
	size_t pos = 0;
	void *entry;

	while ((entry = hash_next(h, &pos)) != NULL)
		free(entry);
	hash_done(h);
	*h = HASH_INIT;
}

void metadata_init(struct metadata *md)
{
	*md = (struct metadata){.asked = HASH_INIT, .indoms = HASH_INIT, .epoch = 1};
}

void metadata_done(struct metadata *md)
{
	free_all(&md->asked);
	free_all(&md->indoms);
}

void metadata_restart(struct metadata *md)
{
	metadata_done(md);
	md->epoch++;
}

struct metadata_domain *metadata_domain_of(struct metadata *md, pmInDom indom)
{
	struct metadata_domain *d = hash_find(&md->indoms, hash_u64(indom), domain_eq, &indom);

	if (d != NULL)
		return d;
	d = calloc(1, sizeof(*d));
	if (d == NULL || hash_add(&md->indoms, hash_u64(indom), d) < 0) {
		free(d);
		return NULL;
	}
	d->indom = indom;
	return d;
}

/*
 * Questions
 */

static struct meta_query_item *metadata_add(struct asking *a, enum meta_query_kind kind, int type,
					    uint32_t ident)
{
	struct meta_query_item *item =
	    a->err == 0 ? meta_query_add(a->list, kind, type, ident) : NULL;

	if (item == NULL)
		a->err = -ENOMEM;
	return item;
}

/* A question is asked once for an archive; true if that is now. */
static bool ask_once(struct asking *a, enum meta_query_kind kind, int type, uint32_t ident)
{
	struct asked key = {.kind = kind, .type = type, .ident = ident, .ahead = a->ahead}, *one;

	one = hash_find(&a->md->asked, asked_hash(&key), asked_eq, &key);
	if (one != NULL && (a->ahead || !one->ahead))
		return false;
	if (one != NULL) {
		one->ahead = false;
		metadata_add(a, kind, type, ident);
		return true;
	}
	one = malloc(sizeof(*one));
	if (one == NULL || hash_add(&a->md->asked, asked_hash(&key), one) < 0) {
		free(one);
		a->err = -ENOMEM;
		return false;
	}
	*one = key;
	metadata_add(a, kind, type, ident);
	return true;
}

/* The labels of all instances, for the one that has come. */
static void ask_insts_labels(struct asking *a, pmInDom indom)
{
	struct metadata_domain *d = metadata_domain_of(a->md, indom);

	if (d == NULL || d->labels_in == a->md->serial)
		return;
	d->labels_in = a->md->serial;
	if (!ask_once(a, META_QUERY_LABELS, PM_LABEL_INSTANCES, indom))
		metadata_add(a, META_QUERY_LABELS, PM_LABEL_INSTANCES, indom);
}

static void ask_labels(struct asking *a, const pmDesc *desc)
{
	ask_once(a, META_QUERY_LABELS, PM_LABEL_CONTEXT, PM_ID_NULL);
	ask_once(a, META_QUERY_LABELS, PM_LABEL_DOMAIN, pmID_domain(desc->pmid));
	if (desc->indom != PM_INDOM_NULL)
		ask_once(a, META_QUERY_LABELS, PM_LABEL_INDOM, desc->indom);
	ask_once(a, META_QUERY_LABELS, PM_LABEL_CLUSTER,
		 pmID_build(pmID_domain(desc->pmid), pmID_cluster(desc->pmid), 0));
	ask_once(a, META_QUERY_LABELS, PM_LABEL_ITEM, desc->pmid);
	if (desc->indom != PM_INDOM_NULL &&
	    ask_once(a, META_QUERY_LABELS, PM_LABEL_INSTANCES, desc->indom)) {
		struct metadata_domain *d = metadata_domain_of(a->md, desc->indom);

		if (d != NULL)
			d->labels_in = a->md->serial;
	}
}

static void ask_texts(struct asking *a, const pmDesc *desc)
{
	static const int levels[] = {PM_TEXT_ONELINE, PM_TEXT_HELP};

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		ask_once(a, META_QUERY_TEXT, levels[i] | PM_TEXT_PMID, desc->pmid);
		if (desc->indom != PM_INDOM_NULL)
			ask_once(a, META_QUERY_TEXT, levels[i] | PM_TEXT_INDOM, desc->indom);
	}
}

static void ask_metric(struct asking *a, const struct logging_metric *m)
{
	struct meta_query_item *item;

	if (!archive_writer_has_desc(a->w, metadata_pmid(m->desc.pmid))) {
		item = metadata_add(a, META_QUERY_KNOWN, 0, m->desc.pmid);
		if (item != NULL)
			item->known = m;
	}
	ask_labels(a, &m->desc);
	ask_texts(a, &m->desc);
}

static bool same_insts(const struct fetch_metric *fm, const pmValueSet *set)
{
	if (!fm->fetched || fm->ninst != (size_t)(set->numval > 0 ? set->numval : 0))
		return false;
	for (int i = 0; i < set->numval; i++) {
		if (fm->insts[i] != set->vlist[i].inst)
			return false;
	}
	return true;
}

static int metadata_compare_inst(const void *key, const void *entry)
{
	int a = *(const int *)key, b = ((const struct wire_inst *)entry)->inst;

	return (a > b) - (a < b);
}

static bool all_known(const struct archive_writer *w, pmInDom indom, const pmValueSet *set)
{
	struct timespec stamp;
	size_t n;
	const struct wire_inst *known = archive_writer_indom(w, indom, &n, &stamp);

	for (int i = 0; i < set->numval; i++) {
		if (known == NULL || bsearch(&set->vlist[i].inst, known, n, sizeof(*known),
					     metadata_compare_inst) == NULL)
			return false;
	}
	return true;
}

/* The rules of A5: is the domain to be looked at again? */
static void ask_indom(struct asking *a, struct fetch_metric *fm, const pmValueSet *set)
{
	pmInDom indom = fm->indom;
	bool described = fm->epoch == a->md->epoch, same, known;
	struct metadata_domain *d =
	    described && fm->domain != NULL ? fm->domain : metadata_domain_of(a->md, indom);

	same = fm->same = same_insts(fm, set);
	if (d == NULL) {
		a->err = -ENOMEM;
		return;
	}
	if (d->asked_in == a->md->serial)
		return;
	if (same && described && fm->indom_version == d->version)
		return;
	known = all_known(a->w, indom, set);
	if (known && (same || !fm->fetched))
		return;
	d->asked_in = a->md->serial;
	metadata_add(a, META_QUERY_INDOM, 0, indom);
	if (!known && set->numval <= INSTS_LABELLED)
		ask_insts_labels(a, indom);
}

static void ask_event_param(pmID pmid, void *arg)
{
	struct asking *a = arg;

	if (!archive_writer_has_desc(a->w, pmid))
		ask_once(a, META_QUERY_DESC, 0, pmid);
}

static void ask_set(struct asking *a, struct fetch_metric *fm, const pmValueSet *set)
{
	fm->same = false; /* or not known */
	if (fm->epoch != a->md->epoch)
		ask_metric(a, fm->metric);
	if (fm->indom != PM_INDOM_NULL && set->numval > 0)
		ask_indom(a, fm, set);
	if (fm->events)
		event_params(set, fm->metric->desc.type == PM_TYPE_HIGHRES_EVENT, ask_event_param,
			     a);
}

/* All labels that were asked for, from the whole to its parts; what is the same is not written. */
static void ask_labels_again(struct asking *a)
{
	static const int levels[] = {PM_LABEL_CONTEXT, PM_LABEL_DOMAIN, PM_LABEL_INDOM,
				     PM_LABEL_CLUSTER, PM_LABEL_ITEM,   PM_LABEL_INSTANCES};

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		const struct asked *one;
		size_t pos = 0;

		while ((one = hash_next(&a->md->asked, &pos)) != NULL) {
			if (one->kind == META_QUERY_LABELS && one->type == levels[i])
				metadata_add(a, META_QUERY_LABELS, one->type, one->ident);
		}
	}
}

int metadata_questions(struct metadata *md, const struct archive_writer *w, struct fetch_group *g,
		       const pmHighResResult *result, bool labels_changed, struct meta_query *list)
{
	struct asking a = {.md = md, .w = w, .list = list};

	md->serial++;
	if (labels_changed)
		ask_labels_again(&a);
	for (int i = 0; i < result->numpmid && (size_t)i < g->n; i++)
		ask_set(&a, &g->metrics[i], result->vset[i]);
	return a.err;
}

int metadata_ahead(struct metadata *md, const struct archive_writer *w,
		   struct logging_metric *const *metrics, size_t n, struct meta_query *list)
{
	struct asking a = {.md = md, .w = w, .list = list, .ahead = true};

	for (size_t i = 0; i < n && a.err == 0; i++)
		ask_metric(&a, metrics[i]);
	return a.err;
}

static struct asked *asked_of(const struct metadata *md, const struct meta_query_item *item)
{
	struct asked key = {.kind = item->kind, .type = item->type, .ident = item->ident};

	return hash_find(&md->asked, asked_hash(&key), asked_eq, &key);
}

void metadata_answered(struct metadata *md, const struct meta_query_item *item)
{
	struct asked *one = asked_of(md, item);

	if (one != NULL)
		one->answered = true;
}

void metadata_known(struct metadata *md, const struct meta_query *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct asked *one = asked_of(md, &list->items[i]);

		if (one != NULL)
			one->ahead = false;
	}
}

void metadata_forget_item(struct metadata *md, const struct meta_query_item *item)
{
	struct asked *one = asked_of(md, item);

	if (one == NULL || one->answered)
		return;
	hash_del(&md->asked, asked_hash(one), one);
	free(one);
}

void metadata_forget(struct metadata *md, const struct meta_query *list)
{
	for (size_t i = 0; i < list->n; i++)
		metadata_forget_item(md, &list->items[i]);
}

/*
 * The contents of the record
 */

static int metadata_keep_insts(struct fetch_metric *fm, const pmValueSet *set)
{
	size_t n = set->numval > 0 ? (size_t)set->numval : 0;

	if (n > fm->room) {
		int *more = reallocarray(fm->insts, n, sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		fm->insts = more;
		fm->room = n;
	}
	for (size_t i = 0; i < n; i++)
		fm->insts[i] = set->vlist[i].inst;
	fm->ninst = n;
	fm->fetched = true;
	return 0;
}

/* The archive has what describes a metric. */
static void now_described(struct metadata *md, struct fetch_metric *fm)
{
	fm->domain = fm->indom != PM_INDOM_NULL ? metadata_domain_of(md, fm->indom)
						: NULL; /* or next time */
	fm->epoch = fm->metric->described = md->epoch;
}

int metadata_remember(struct metadata *md, struct fetch_group *g, const struct logging_task *task,
		      const pmHighResResult *result)
{
	int r = 0;

	for (int i = 0; i < result->numpmid && (size_t)i < g->n && r == 0; i++) {
		struct fetch_metric *fm = &g->metrics[i];

		if (fm->epoch != md->epoch || (fm->domain == NULL && fm->indom != PM_INDOM_NULL))
			now_described(md, fm);
		fm->indom_version = fm->domain != NULL ? fm->domain->version : 0;
		if (fm->same || same_insts(fm, result->vset[i]))
			continue;
		r = metadata_keep_insts(fm, result->vset[i]);
		if (r == 0)
			r = logging_saw(fm->metric, task, fm->insts, fm->ninst);
	}
	return r;
}
