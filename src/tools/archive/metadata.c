/*
 * metadata - the records of a .meta: the walk over them, where labels and texts are, and copying
 * them.
 */
#include "tools/archive/metadata.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libdisk/record.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_writer.h"
#include "libstore/member.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"

/*
 * The walk
 */

enum { TYPE_AT = 4, TYPE_END = 8 }; /* mask of the type in a record's type word */

void meta_walk_begin(struct meta_walk *w, struct member *member, int version)
{
	*w = (struct meta_walk){.member = member, .offset = log_label_len(version)};
}

void meta_walk_end(struct meta_walk *w)
{
	arena_done(&w->mem);
}

/*
 * Reads the bytes of the record at an offset. Returns 1; 0 if they are incomplete; PM_ERR_LOGREC.
 */
static int find_record(struct meta_walk *w, uint64_t offset, const uint8_t **ret_p, size_t *ret_len)
{
	size_t want = TYPE_END, left, len;
	const uint8_t *p;
	int sts;

	for (;;) {
		p = member_at(w->member, offset, want, &left);
		if (p == NULL)
			return 0;
		sts = record_frame(p, left, &len);
		if (sts != 0)
			break;
		if (len <= want)
			return 0;
		want = len;
	}
	if (sts < 0)
		return sts;
	*ret_p = p;
	*ret_len = len;
	return 1;
}

int meta_walk_next(struct meta_walk *w, unsigned int wanted, enum meta_type *ret_type,
		   union meta_body *ret_body)
{
	const uint8_t *p;
	uint32_t type;
	size_t len;
	int sts;

	for (;;) {
		sts = find_record(w, w->offset, &p, &len);
		if (sts <= 0)
			return sts;
		w->at = w->offset;
		w->offset += len;
		type = len >= TYPE_END + 4 ? load_be32(p + TYPE_AT) : 0;
		if (type <= META_LAST && (wanted & 1u << type) == 0)
			continue;
		arena_reset(&w->mem);
		sts = meta_decode(p, len, &w->mem, ret_type, ret_body);
		return sts < 0 ? sts : 1;
	}
}

int meta_walk_at(struct meta_walk *w, uint64_t offset, enum meta_type *ret_type,
		 union meta_body *ret_body)
{
	const uint8_t *p;
	size_t len;
	int sts = find_record(w, offset, &p, &len);

	if (sts <= 0)
		return sts < 0 ? sts : PM_ERR_LOGREC;
	arena_reset(&w->mem);
	return meta_decode(p, len, &w->mem, ret_type, ret_body);
}

/*
 * The catalog
 */

enum { WANTED = 1u << META_DESC | 1u << META_LABEL | 1u << META_LABEL_V2 | 1u << META_TEXT };

static uint64_t subject_hash(int noun, int type, uint32_t ident)
{
	return hash_u64((uint64_t)noun << 48 | (uint64_t)(uint16_t)type << 32 | ident);
}

static bool is_subject(const void *entry, const void *key)
{
	const struct catalog_subject *a = entry, *b = key;

	return a->noun == b->noun && a->type == b->type && a->ident == b->ident;
}

static struct catalog_subject *metadata_find(const struct catalog *c, int noun, int type,
					     uint32_t ident)
{
	struct catalog_subject key = {.noun = noun, .type = type, .ident = ident};

	return hash_find(&c->subjects, subject_hash(noun, type, ident), is_subject, &key);
}

struct catalog_subject *catalog_labels(const struct catalog *c, int type, uint32_t ident)
{
	return metadata_find(c, META_LABEL, type, ident);
}

struct catalog_subject *catalog_text(const struct catalog *c, int type, uint32_t ident)
{
	return metadata_find(c, META_TEXT, type, ident);
}

struct catalog_subject *catalog_desc(const struct catalog *c, pmID pmid)
{
	return metadata_find(c, META_DESC, 0, pmid);
}

static struct catalog_subject *metadata_find_or_add(struct catalog *c, int noun, int type,
						    uint32_t ident)
{
	struct catalog_subject *s = metadata_find(c, noun, type, ident);

	if (s != NULL)
		return s;
	s = arena_calloc(&c->mem, 1, sizeof(*s));
	if (s == NULL || hash_add(&c->subjects, subject_hash(noun, type, ident), s) < 0)
		return NULL;
	s->noun = noun;
	s->type = type;
	s->ident = ident;
	return s;
}

static int append(struct catalog_subject *s, const struct catalog_entry *entry)
{
	struct catalog_entry *more;

	if (s->n == s->room) {
		more = reallocarray(s->entries, s->room * 2 + 1, sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		s->entries = more;
		s->room = s->room * 2 + 1;
	}
	if (s->n > 0 && stamp_compare(&s->entries[s->n - 1].stamp, &entry->stamp) > 0)
		s->disordered = true;
	s->entries[s->n++] = *entry;
	return 0;
}

/* Order: by time; of records with the same time, the one that is stored last counts. */
static int compare_entries(const void *a, const void *b)
{
	const struct catalog_entry *x = a, *y = b;
	int order = stamp_compare(&x->stamp, &y->stamp);

	return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static void sort_all(struct catalog *c)
{
	struct catalog_subject *s;
	size_t pos = 0;

	while ((s = hash_next(&c->subjects, &pos)) != NULL) {
		if (s->disordered)
			qsort(s->entries, s->n, sizeof(s->entries[0]), compare_entries);
		s->disordered = false;
	}
}

static int metadata_add(struct catalog *c, enum meta_type type, const union meta_body *body,
			uint64_t offset)
{
	struct catalog_entry entry = {.offset = offset};
	struct catalog_subject *s;

	if (type == META_DESC) {
		s = metadata_find_or_add(c, META_DESC, 0, body->desc.desc.pmid);
	} else if (type == META_TEXT) {
		s = metadata_find_or_add(c, META_TEXT, body->text.type, body->text.ident);
	} else {
		entry.stamp = body->label.stamp;
		s = metadata_find_or_add(c, META_LABEL, body->label.type, body->label.ident);
	}
	return s != NULL ? append(s, &entry) : -ENOMEM;
}

int catalog_load(struct catalog *c, struct member *meta, int version)
{
	struct meta_walk walk;
	union meta_body body;
	enum meta_type type;
	int sts;

	meta_walk_begin(&walk, meta, version);
	while ((sts = meta_walk_next(&walk, WANTED, &type, &body)) > 0) {
		sts = metadata_add(c, type, &body, walk.at);
		if (sts < 0)
			break;
	}
	meta_walk_end(&walk);
	sort_all(c);
	return sts;
}

void catalog_done(struct catalog *c)
{
	struct catalog_subject *s;
	size_t pos = 0;

	while ((s = hash_next(&c->subjects, &pos)) != NULL)
		free(s->entries);
	hash_done(&c->subjects);
	arena_done(&c->mem);
}

const struct catalog_entry *catalog_reach(struct catalog_subject *s, const struct timespec *when)
{
	size_t before = s->at;

	while (s->at < s->n && stamp_compare(&s->entries[s->at].stamp, when) <= 0)
		s->at++;
	return s->at > before ? &s->entries[s->at - 1] : NULL;
}

/*
 * Copying
 */

enum { METRIC_SUBJECTS = 5, DOMAIN_SUBJECTS = 4 };

/* An instance domain and its metadata. */
struct domain {
	pmInDom indom;
	const struct archive_indom *const *seen; /* its observations */
	int n, at;                               /* at: the first one after the current time */
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
	struct meta_walk walk; /* for reading records at an offset */
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

/* Writes labels or a text if the current entry differs from the one written last. */
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

static struct metric *metadata_find_metric(struct metadata *m, pmID pmid)
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

/* Merges several descriptor records of one metric. */
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

/* A single record is copied unchanged: old archives have names twice. */
static int metadata_put_desc(struct metadata *m, struct metric *metric, struct archive_writer *w)
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

/*
 * Writes the observation that is valid at a time; all of them, if several have the same stamp. If
 * there is none yet, the first later one is written.
 */
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
	struct metric *metric = metadata_find_metric(m, pmid);
	int sts = 0;

	if (metric == NULL)
		return -ENOMEM;
	if (!metric->described && metric->known != NULL)
		sts = metadata_put_desc(m, metric, w);
	if (sts >= 0)
		sts = put_subjects(m, w, metric->subjects, METRIC_SUBJECTS, when);
	if (sts >= 0 && metric->domain != NULL)
		sts = put_domain(m, w, metric->domain, when);
	return sts;
}

int metadata_about(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		   pmID pmid)
{
	struct metric *metric = metadata_find_metric(m, pmid);
	int sts = metric == NULL ? -ENOMEM : 0;

	if (sts >= 0)
		sts = put_subjects(m, w, metric->subjects, METRIC_SUBJECTS, when);
	if (sts >= 0 && metric->domain != NULL)
		sts = put_subjects(m, w, metric->domain->subjects, DOMAIN_SUBJECTS, when);
	return sts;
}
