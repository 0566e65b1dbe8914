#include "tools/archive/catalog.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/archive/meta_walk.h"
#include "tools/archive/stamp.h"

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

static struct catalog_subject *find(const struct catalog *c, int noun, int type, uint32_t ident)
{
	struct catalog_subject key = {.noun = noun, .type = type, .ident = ident};

	return hash_find(&c->subjects, subject_hash(noun, type, ident), is_subject, &key);
}

struct catalog_subject *catalog_labels(const struct catalog *c, int type, uint32_t ident)
{
	return find(c, META_LABEL, type, ident);
}

struct catalog_subject *catalog_text(const struct catalog *c, int type, uint32_t ident)
{
	return find(c, META_TEXT, type, ident);
}

struct catalog_subject *catalog_desc(const struct catalog *c, pmID pmid)
{
	return find(c, META_DESC, 0, pmid);
}

static struct catalog_subject *find_or_add(struct catalog *c, int noun, int type, uint32_t ident)
{
	struct catalog_subject *s = find(c, noun, type, ident);

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

/* By time; of one moment the one that is stored last counts. */
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

static int add(struct catalog *c, enum meta_type type, const union meta_body *body, uint64_t offset)
{
	struct catalog_entry entry = {.offset = offset};
	struct catalog_subject *s;

	if (type == META_DESC) {
		s = find_or_add(c, META_DESC, 0, body->desc.desc.pmid);
	} else if (type == META_TEXT) {
		s = find_or_add(c, META_TEXT, body->text.type, body->text.ident);
	} else {
		entry.stamp = body->label.stamp;
		s = find_or_add(c, META_LABEL, body->label.type, body->label.ident);
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
		sts = add(c, type, &body, walk.at);
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
