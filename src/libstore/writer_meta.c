/* writer_meta - see writer_inner.h. */
#include "libstore/writer_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/meta.h"

enum noun {
	NOUN_DESC,
	NOUN_LABELS,
	NOUN_TEXT,
};

/* The subject of a record. */
struct subject {
	enum noun noun;
	int type; /* of labels and texts */
	uint32_t ident;
};

/* A record that was queued once, newest of its subject. */
struct known {
	struct subject about;
	uint64_t digest;       /* of what it says, without its time */
	struct timespec stamp; /* of labels */
	pmDesc desc;           /* of a descriptor */
};

void writer_meta_init(struct writer_meta *m, int version)
{
	*m = (struct writer_meta){.version = version};
}

void writer_meta_done(struct writer_meta *m)
{
	struct writer_domain *d;
	size_t pos = 0;

	while ((d = hash_next(&m->domains, &pos)) != NULL) {
		free(d->insts);
		free(d);
	}
	hash_done(&m->domains);
	hash_done(&m->known);
	arena_done(&m->mem);
	buffer_done(&m->queue);
	buffer_done(&m->scratch);
}

static uint64_t subject_hash(const struct subject *s)
{
	return hash_u64((uint64_t)s->noun << 48 | (uint64_t)(uint16_t)s->type << 32 | s->ident);
}

static bool about_subject(const void *entry, const void *key)
{
	const struct known *k = entry;
	const struct subject *s = key;

	return k->about.noun == s->noun && k->about.type == s->type && k->about.ident == s->ident;
}

static struct known *find(const struct writer_meta *m, const struct subject *s)
{
	return hash_find(&m->known, subject_hash(s), about_subject, s);
}

static bool has(const struct writer_meta *m, enum noun noun, int type, uint32_t ident)
{
	return find(m, &(struct subject){noun, type, ident}) != NULL;
}

bool writer_meta_has_desc(const struct writer_meta *m, pmID pmid)
{
	return has(m, NOUN_DESC, 0, pmid);
}

bool writer_meta_has_labels(const struct writer_meta *m, int type, uint32_t ident)
{
	return has(m, NOUN_LABELS, type, ident);
}

bool writer_meta_has_text(const struct writer_meta *m, int type, uint32_t ident)
{
	return has(m, NOUN_TEXT, type, ident);
}

bool writer_meta_has_any_desc(const struct writer_meta *m)
{
	const struct known *k;
	size_t pos = 0;

	while ((k = hash_next(&m->known, &pos)) != NULL) {
		if (k->about.noun == NOUN_DESC)
			return true;
	}
	return false;
}

static struct known *known_new(struct writer_meta *m, const struct subject *s)
{
	struct known *k = arena_calloc(&m->mem, 1, sizeof(*k));

	if (k == NULL)
		return NULL;
	k->about = *s;
	return hash_add(&m->known, subject_hash(s), k) == 0 ? k : NULL;
}

/* A reader refuses an archive in which a metric changes. */
static bool desc_same(const pmDesc *a, const pmDesc *b)
{
	return a->type == b->type && a->sem == b->sem && a->indom == b->indom &&
	       memcmp(&a->units, &b->units, sizeof(a->units)) == 0;
}

/* At another time what was said before may be said again. */
static bool is_repeated(const struct writer_meta *m, const struct known *k,
			const struct timespec *stamp)
{
	return m->repeat_labels && stamp != NULL && timespec_before(&k->stamp, stamp);
}

/* Queues a record that was just encoded from begin on, unless it equals the last one. */
static int keep_if_new(struct writer_meta *m, size_t begin, size_t skip, const struct subject *s,
		       const pmDesc *desc, const struct timespec *stamp)
{
	const uint8_t *record = m->queue.data + begin;
	uint64_t digest = hash_bytes(record + skip, m->queue.len - begin - skip);
	struct known *k = find(m, s);
	int r = 1;

	if (k != NULL && desc != NULL && !desc_same(&k->desc, desc))
		r = -EINVAL;
	else if (k != NULL && k->digest == digest && !m->plain && !is_repeated(m, k, stamp))
		r = 0;
	else if (k == NULL && (k = known_new(m, s)) == NULL)
		r = -ENOMEM;
	if (r <= 0) {
		m->queue.len = begin;
		return r;
	}
	k->digest = digest;
	if (desc != NULL)
		k->desc = *desc;
	if (stamp != NULL)
		k->stamp = *stamp;
	return 1;
}

static int add_record(struct writer_meta *m, enum meta_type type, const union meta_body *body,
		      size_t skip, const struct subject *s)
{
	size_t begin = m->queue.len;
	int r = meta_encode(&m->queue, type, body);

	if (r != 0)
		return r;
	return keep_if_new(m, begin, skip, s, type == META_DESC ? &body->desc.desc : NULL,
			   s->noun == NOUN_LABELS ? &body->label.stamp : NULL);
}

static int writer_meta_add_desc(struct writer_meta *m, const union meta_body *body)
{
	return add_record(m, META_DESC, body, 0,
			  &(struct subject){NOUN_DESC, 0, body->desc.desc.pmid});
}

static int writer_meta_add_text(struct writer_meta *m, const union meta_body *body)
{
	return add_record(m, META_TEXT, body, 0,
			  &(struct subject){NOUN_TEXT, body->text.type, body->text.ident});
}

static int add_labels(struct writer_meta *m, const union meta_body *body)
{
	enum {
		STAMP_END = 20
	}; /* length, type and a stamp of version 3; of version 2 and a type */

	return add_record(m, meta_type_label(m->version), body, STAMP_END,
			  &(struct subject){NOUN_LABELS, body->label.type, body->label.ident});
}

static bool writer_meta_is_domain(const void *entry, const void *key)
{
	return ((const struct writer_domain *)entry)->indom == *(const pmInDom *)key;
}

static struct writer_domain *domain_find(const struct writer_meta *m, pmInDom indom)
{
	return hash_find(&m->domains, hash_u64(indom), writer_meta_is_domain, &indom);
}

const struct writer_domain *writer_meta_domain(const struct writer_meta *m, pmInDom indom)
{
	const struct writer_domain *d = domain_find(m, indom);

	return d != NULL && d->n > 0 ? d : NULL;
}

static struct writer_domain *domain_new(struct writer_meta *m, pmInDom indom)
{
	struct writer_domain *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->indom = indom;
	if (hash_add(&m->domains, hash_u64(indom), d) == 0)
		return d;
	free(d);
	return NULL;
}

/* One block: the list, followed by all names. */
static struct wire_inst *copy_insts(const struct wire_inst *insts, size_t n)
{
	size_t len = n * sizeof(*insts);
	struct wire_inst *copy;
	char *names;

	for (size_t i = 0; i < n; i++)
		len += insts[i].name.len;
	copy = malloc(len);
	if (copy == NULL)
		return NULL;
	names = (char *)(copy + n);
	for (size_t i = 0; i < n; i++) {
		uint32_t name_len = insts[i].name.len;

		if (name_len > 0)
			memcpy(names, insts[i].name.s, name_len);
		copy[i] = (struct wire_inst){insts[i].inst, {names, name_len}};
		names += name_len;
	}
	return copy;
}

/* 1: record says how the domain changed, and type in what form; 0: it did not; -errno. */
static int domain_change(struct writer_meta *m, const struct writer_domain *d,
			 const struct meta_indom *now, enum meta_type *ret_type,
			 union meta_body *ret_body)
{
	struct wire_inst *delta;
	size_t changes = 0;

	*ret_type = meta_type_indom(m->version);
	ret_body->indom = *now;
	if (d->n == 0)
		return 1;
	buffer_reset(&m->scratch);
	delta =
	    (struct wire_inst *)(void *)buffer_reserve(&m->scratch, now->numinst * sizeof(*delta));
	if (delta == NULL) {
		m->scratch.err = 0;
		return -ENOMEM;
	}
	switch (indom_compare(d->insts, d->n, now->insts, now->numinst, delta, &changes)) {
	case INDOM_SAME:
		return m->repeat && timespec_before(&d->stamp, &now->stamp) ? 1 : 0;
	case INDOM_FULL:
		return 1;
	case INDOM_CHANGES:
		break;
	}
	if (m->version == DISK_V2)
		return 1;
	*ret_type = META_INDOM_DELTA;
	ret_body->indom.numinst = (uint32_t)changes;
	ret_body->indom.insts = delta;
	return 1;
}

/* A plain writer does not compare. */
static int add_plain_indom(struct writer_meta *m, const union meta_body *body)
{
	int r = meta_encode(&m->queue, meta_type_indom(m->version), body);

	return r == 0 ? 1 : r;
}

/*
 * A list without instances is not an observation: readers ignore such a record, so the next delta
 * must not build on it.
 */
static int writer_meta_add_indom(struct writer_meta *m, const union meta_body *body)
{
	const struct meta_indom *now = &body->indom;
	AUTO_FREE struct wire_inst *insts = NULL;
	struct writer_domain *d = domain_find(m, now->indom);
	union meta_body record;
	enum meta_type type;
	int r;

	if (m->plain)
		return now->numinst > 0 ? add_plain_indom(m, body) : 0;
	if (!indom_sorted(now->insts, now->numinst) ||
	    (d != NULL && timespec_before(&now->stamp, &d->stamp)))
		return -EINVAL;
	if (now->numinst == 0)
		return 0;
	if (d == NULL && (d = domain_new(m, now->indom)) == NULL)
		return -ENOMEM;
	r = domain_change(m, d, now, &type, &record);
	if (r <= 0)
		return r;
	insts = copy_insts(now->insts, now->numinst);
	if (insts == NULL)
		return -ENOMEM;
	r = meta_encode(&m->queue, type, &record);
	if (r != 0)
		return r;
	free(d->insts);
	d->insts = TAKE(insts);
	d->n = now->numinst;
	d->stamp = now->stamp;
	m->indom_queued = true;
	return 1;
}

int writer_meta_add(struct writer_meta *m, enum meta_type type, const union meta_body *body)
{
	int r;

	switch (type) {
	case META_DESC:
		r = writer_meta_add_desc(m, body);
		break;
	case META_TEXT:
		r = writer_meta_add_text(m, body);
		break;
	case META_LABEL:
	case META_LABEL_V2:
		r = add_labels(m, body);
		break;
	case META_INDOM:
	case META_INDOM_V2:
		r = writer_meta_add_indom(m, body);
		break;
	default: /* a delta is the writer's to decide */
		r = -EINVAL;
		break;
	}
	m->queue.err = 0; /* -ENOMEM was returned, and took nothing from the queue */
	return r;
}
