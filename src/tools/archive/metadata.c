#include "tools/archive/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "tools/archive/catalog.h"
#include "tools/archive/meta_walk.h"
#include "tools/archive/recording.h"
#include "tools/archive/stamp.h"

enum { METRIC_SUBJECTS = 5, DOMAIN_SUBJECTS = 4 };

/* An instance domain and what describes it. */
struct domain {
	pmInDom indom;
	const struct archive_indom *const *seen; /* its observations */
	int n, at;                               /* at: the first that is not reached yet */
	struct catalog_subject *subjects[DOMAIN_SUBJECTS]; /* NULL: none */
};

struct metric {
	pmID pmid;
	const struct archive_metric *known;
	struct catalog_subject *desc; /* its records in the .meta */
	bool described;
	struct domain *domain; /* NULL: it has one value */
	struct catalog_subject *subjects[METRIC_SUBJECTS];
};

struct metadata {
	struct archive_meta *known;
	struct catalog catalog;
	struct meta_walk walk; /* for reading at an offset */
	struct hash metrics, domains;
	struct arena mem;
	struct catalog_subject *context;
};

int metadata_new(const struct recording *r, struct metadata **ret_metadata)
{
	struct member *member = archive_meta_member(r->archive);
	struct metadata *m = calloc(1, sizeof(*m));
	int sts;

	if (m == NULL)
		return -ENOMEM;
	m->known = r->meta;
	meta_walk_begin(&m->walk, member, r->label->version);
	sts = catalog_load(&m->catalog, member, r->label->version);
	if (sts < 0) {
		metadata_free(m);
		return sts;
	}
	m->context = catalog_labels(&m->catalog, PM_LABEL_CONTEXT, PM_ID_NULL);
	*ret_metadata = m;
	return 0;
}

void metadata_free(struct metadata *m)
{
	if (m == NULL)
		return;
	meta_walk_end(&m->walk);
	catalog_done(&m->catalog);
	hash_done(&m->metrics);
	hash_done(&m->domains);
	arena_done(&m->mem);
	free(m);
}

/* Labels or a text, if what holds now is not what was given last. */
static int put_subject(struct metadata *m, struct archive_writer *w, struct catalog_subject *s,
		       const struct timespec *when)
{
	const struct catalog_entry *entry = s != NULL ? catalog_reach(s, when) : NULL;
	union meta_body body;
	enum meta_type type;
	int sts;

	if (entry == NULL)
		return 0;
	sts = meta_walk_at(&m->walk, entry->offset, &type, &body);
	if (sts < 0)
		return sts;
	if (type != META_TEXT)
		body.label.stamp = *when;
	return archive_writer_meta(w, type, &body);
}

static int put_subjects(struct metadata *m, struct archive_writer *w,
			struct catalog_subject *const *subjects, size_t n,
			const struct timespec *when)
{
	int sts = 0;

	for (size_t i = 0; i < n && sts >= 0; i++)
		sts = put_subject(m, w, subjects[i], when);
	return sts;
}

int metadata_begin(struct metadata *m, struct archive_writer *w, const struct timespec *when)
{
	return put_subject(m, w, m->context, when);
}

static struct domain *find_domain(struct metadata *m, pmInDom indom)
{
	const struct catalog *c = &m->catalog;
	struct domain *d = hash_find(&m->domains, hash_u64(indom), NULL, NULL);

	if (d != NULL)
		return d;
	d = arena_calloc(&m->mem, 1, sizeof(*d));
	if (d == NULL || hash_add(&m->domains, hash_u64(indom), d) < 0)
		return NULL;
	d->indom = indom;
	d->n = archive_meta_indom(m->known, indom, &d->seen);
	d->subjects[0] = catalog_labels(c, PM_LABEL_INDOM, indom);
	d->subjects[1] = catalog_labels(c, PM_LABEL_INSTANCES, indom);
	d->subjects[2] = catalog_text(c, PM_TEXT_INDOM | PM_TEXT_ONELINE, indom);
	d->subjects[3] = catalog_text(c, PM_TEXT_INDOM | PM_TEXT_HELP, indom);
	return d;
}

static struct metric *find_metric(struct metadata *m, pmID pmid)
{
	const struct catalog *c = &m->catalog;
	struct metric *metric = hash_find(&m->metrics, hash_u64(pmid), NULL, NULL);

	if (metric != NULL)
		return metric;
	metric = arena_calloc(&m->mem, 1, sizeof(*metric));
	if (metric == NULL || hash_add(&m->metrics, hash_u64(pmid), metric) < 0)
		return NULL;
	metric->pmid = pmid;
	metric->known = archive_meta_metric(m->known, pmid);
	if (metric->known != NULL && metric->known->desc.indom != PM_INDOM_NULL) {
		metric->domain = find_domain(m, metric->known->desc.indom);
		if (metric->domain == NULL)
			return NULL;
	}
	metric->desc = catalog_desc(c, pmid);
	metric->subjects[0] = catalog_labels(c, PM_LABEL_ITEM, pmid);
	metric->subjects[1] = catalog_labels(c, PM_LABEL_DOMAIN, pmID_domain(pmid));
	metric->subjects[2] = catalog_labels(c, PM_LABEL_CLUSTER,
					     pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0));
	metric->subjects[3] = catalog_text(c, PM_TEXT_PMID | PM_TEXT_ONELINE, pmid);
	metric->subjects[4] = catalog_text(c, PM_TEXT_PMID | PM_TEXT_HELP, pmid);
	return metric;
}

/* The union of several records of one metric. */
static int put_united(const struct metric *metric, struct archive_writer *w)
{
	const struct archive_metric *known = metric->known;
	union meta_body body = {.desc = {.desc = known->desc}};
	AUTO_FREE struct wire_str *names = NULL;

	names = calloc(known->nnames + 1, sizeof(*names));
	if (names == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < known->nnames; i++)
		names[i] = (struct wire_str){known->names[i], (uint32_t)strlen(known->names[i])};
	body.desc.numnames = (uint32_t)known->nnames;
	body.desc.names = names;
	return archive_writer_meta(w, META_DESC, &body);
}

/* One record is copied as it is: old archives have names twice. */
static int put_desc(struct metadata *m, struct metric *metric, struct archive_writer *w)
{
	union meta_body body;
	enum meta_type type;
	int sts;

	metric->described = true;
	if (archive_writer_has_desc(w, metric->pmid))
		return 0;
	if (metric->desc == NULL || metric->desc->n != 1)
		return put_united(metric, w);
	sts = meta_walk_at(&m->walk, metric->desc->entries[0].offset, &type, &body);
	return sts < 0 ? sts : archive_writer_meta(w, type, &body);
}

static int put_observation(struct archive_writer *w, const struct archive_indom *now,
			   const struct timespec *when)
{
	union meta_body body;

	body.indom = (struct meta_indom){
	    .stamp = *when, .indom = now->indom, .numinst = (uint32_t)now->n, .insts = now->insts};
	return archive_writer_meta(w, META_INDOM, &body);
}

/* The observation that holds at a time; all of them, if several have its stamp. Where there is none
 * yet, the first later one. */
static int put_observations(struct archive_writer *w, struct domain *d, const struct timespec *when)
{
	int before = d->at, from, sts = 0;

	while (d->at < d->n && (stamp_compare(&d->seen[d->at]->stamp, when) <= 0 || d->at == 0))
		d->at++;
	from = d->at - 1;
	while (from > before &&
	       stamp_compare(&d->seen[from - 1]->stamp, &d->seen[from]->stamp) == 0)
		from--;
	for (int i = from; d->at > before && i < d->at && sts >= 0; i++)
		sts = put_observation(w, d->seen[i], when);
	return sts;
}

static int put_domain(struct metadata *m, struct archive_writer *w, struct domain *d,
		      const struct timespec *when)
{
	int sts = d->n < 0 ? d->n : put_observations(w, d, when);

	if (sts < 0)
		return sts;
	return put_subjects(m, w, d->subjects, DOMAIN_SUBJECTS, when);
}

int metadata_metric(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		    pmID pmid)
{
	struct metric *metric = find_metric(m, pmid);
	int sts = 0;

	if (metric == NULL)
		return -ENOMEM;
	if (!metric->described && metric->known != NULL)
		sts = put_desc(m, metric, w);
	if (sts >= 0)
		sts = put_subjects(m, w, metric->subjects, METRIC_SUBJECTS, when);
	if (sts >= 0 && metric->domain != NULL)
		sts = put_domain(m, w, metric->domain, when);
	return sts;
}

int metadata_about(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		   pmID pmid)
{
	struct metric *metric = find_metric(m, pmid);
	int sts = metric == NULL ? -ENOMEM : 0;

	if (sts >= 0)
		sts = put_subjects(m, w, metric->subjects, METRIC_SUBJECTS, when);
	if (sts >= 0 && metric->domain != NULL)
		sts = put_subjects(m, w, metric->domain->subjects, DOMAIN_SUBJECTS, when);
	return sts;
}
