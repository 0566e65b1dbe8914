/*
 * plan - the changes to an archive: its label, metrics, domains, texts and labels, each with the
 * effect of the rules.
 *
 * Rules are applied step by step to the contents of the archive. Then plan_check checks the whole
 * and derives further changes (metrics follow their domains; texts and labels follow both). The
 * clauses of global rules are here, the others in plan_metric.c and plan_note.c.
 */
#include "tools/pmlogrewrite/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libstore/archive.h"
#include "tools/archive/metadata.h"
#include "tools/archive/recording.h"

enum { NSEC = 1000000000 };

/* Zeroed memory of the plan. Exits if there is none. */
static void *plan_room(struct plan *p, size_t n, size_t size)
{
	void *room = arena_calloc(&p->mem, n > 0 ? n : 1, size);

	if (room == NULL)
		pmNoMem("plan", n * size, PM_FATAL_ERR);
	return room;
}

static void load_metrics(struct plan *p)
{
	const struct archive_metric *const *list = archive_meta_metrics(p->in->meta, &p->nmetrics);

	p->metrics = plan_room(p, p->nmetrics, sizeof(p->metrics[0]));
	for (size_t i = 0; i < p->nmetrics; i++) {
		p->metrics[i].old = list[i];
		p->metrics[i].now = list[i]->desc;
		if (hash_add(&p->by_pmid, hash_u64(list[i]->desc.pmid), &p->metrics[i]) < 0)
			pmNoMem("plan", sizeof(p->metrics[0]), PM_FATAL_ERR);
	}
}

static int by_number_and_name(const void *a, const void *b)
{
	const struct wire_inst *x = &((const struct plan_inst *)a)->old;
	const struct wire_inst *y = &((const struct plan_inst *)b)->old;
	uint32_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int c = len > 0 ? memcmp(x->name.s, y->name.s, len) : 0;

	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	if (c != 0)
		return c;
	return (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* Collects all instances that a domain ever had, once for each of their names. */
static void load_insts(struct plan *p, struct plan_domain *d)
{
	struct plan_inst *all;
	size_t n = 0;

	for (int i = 0; i < d->nseen; i++)
		n += d->seen[i]->n;
	all = calloc(n > 0 ? n : 1, sizeof(*all));
	if (all == NULL)
		pmNoMem("instances", n * sizeof(*all), PM_FATAL_ERR);
	n = 0;
	for (int i = 0; i < d->nseen; i++)
		for (size_t j = 0; j < d->seen[i]->n; j++)
			all[n++].old = d->seen[i]->insts[j];
	qsort(all, n, sizeof(*all), by_number_and_name);
	d->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (d->n > 0 && by_number_and_name(&all[d->n - 1], &all[i]) == 0)
			continue;
		all[i].id = all[i].old.inst;
		all[d->n++] = all[i];
	}
	d->insts = plan_room(p, d->n, sizeof(*all));
	if (d->n > 0)
		memcpy(d->insts, all, d->n * sizeof(*all));
	free(all);
}

static int load_domains(struct plan *p)
{
	const pmInDom *indoms;

	p->ndomains = archive_meta_indoms(p->in->meta, &indoms);
	p->domains = plan_room(p, p->ndomains, sizeof(p->domains[0]));
	for (size_t i = 0; i < p->ndomains; i++) {
		struct plan_domain *d = &p->domains[i];

		d->old = d->now = indoms[i];
		d->nseen = archive_meta_indom(p->in->meta, d->old, &d->seen);
		if (d->nseen < 0)
			return d->nseen;
		load_insts(p, d);
	}
	return 0;
}

static void plan_add_text(struct plan *p, const struct meta_text *text, size_t *room)
{
	struct plan_text *t;

	if (p->ntexts == *room) {
		struct plan_text *old = p->texts;

		*room = *room * 2 + 64;
		p->texts = plan_room(p, *room, sizeof(*t));
		if (p->ntexts > 0)
			memcpy(p->texts, old, p->ntexts * sizeof(*t));
	}
	t = &p->texts[p->ntexts++];
	t->type = t->now_type = text->type;
	t->ident = t->now = text->ident;
	t->text = arena_strndup(&p->mem, text->text.s, text->text.len);
	if (t->text == NULL)
		pmNoMem("text", text->text.len, PM_FATAL_ERR);
}

static void add_subject(struct plan *p, int type, uint32_t ident, size_t *room)
{
	struct plan_subject *s;

	for (size_t i = 0; i < p->nsubjects; i++)
		if (p->subjects[i].type == type && p->subjects[i].ident == ident)
			return;
	if (p->nsubjects == *room) {
		struct plan_subject *old = p->subjects;

		*room = *room * 2 + 64;
		p->subjects = plan_room(p, *room, sizeof(*s));
		if (p->nsubjects > 0)
			memcpy(p->subjects, old, p->nsubjects * sizeof(*s));
	}
	s = &p->subjects[p->nsubjects++];
	*s = (struct plan_subject){type, ident};
}

/* Collects texts and the subjects of labels, in the order of the file. */
static int load_notes(struct plan *p)
{
	const unsigned int wanted = 1u << META_TEXT | 1u << META_LABEL | 1u << META_LABEL_V2;
	size_t text_room = 0, subject_room = 0;
	struct meta_walk walk;
	union meta_body body;
	enum meta_type type;
	int sts;

	meta_walk_begin(&walk, archive_meta_member(p->in->archive), p->in->label->version);
	while ((sts = meta_walk_next(&walk, wanted, &type, &body)) > 0) {
		if (type == META_TEXT)
			plan_add_text(p, &body.text, &text_room);
		else
			add_subject(p, body.label.type, body.label.ident, &subject_room);
	}
	meta_walk_end(&walk);
	return sts;
}

int plan_load(struct plan *p, const struct recording *in, int version)
{
	int sts;

	p->in = in;
	p->label = *in->label;
	p->label.version = version;
	load_metrics(p);
	sts = load_domains(p);
	return sts < 0 ? sts : load_notes(p);
}

void plan_done(struct plan *p)
{
	hash_done(&p->by_pmid);
	free(p->labels);
	free(p->chosen);
	arena_done(&p->mem);
}

struct plan_metric *plan_metric(const struct plan *p, pmID pmid)
{
	return hash_find(&p->by_pmid, hash_u64(pmid), NULL, NULL);
}

/* Finds a metric by its name; NULL if there is none. */
static struct plan_metric *plan_named_metric(const struct plan *p, const char *name)
{
	pmID pmid = archive_meta_pmid(p->in->meta, name);

	return pmid != PM_ID_NULL ? plan_metric(p, pmid) : NULL;
}

struct plan_domain *plan_domain(const struct plan *p, pmInDom indom)
{
	size_t low = 0, high = p->ndomains;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->domains[mid].old == indom)
			return &p->domains[mid];
		if (p->domains[mid].old < indom)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct plan_inst *plan_inst(const struct plan_domain *d, int inst,
				  const struct archive_indom *now)
{
	const struct plan_inst *first;
	const struct wire_inst *named;
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->insts[mid].old.inst < inst)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == d->n || d->insts[low].old.inst != inst)
		return NULL;
	first = &d->insts[low];
	if (low + 1 == d->n || d->insts[low + 1].old.inst != inst)
		return first;
	named = now != NULL ? archive_indom_inst(now, inst) : NULL;
	for (size_t i = low; named != NULL && i < d->n && d->insts[i].old.inst == inst; i++) {
		const struct wire_str *name = &d->insts[i].old.name;

		if (name->len == named->name.len && memcmp(name->s, named->name.s, name->len) == 0)
			return &d->insts[i];
	}
	return first;
}

const char *plan_metric_name(const struct plan_metric *m)
{
	return m->old->nnames > 0 ? m->old->names[0] : "<noname>";
}

struct timespec plan_time(const struct plan *p, const struct timespec *when)
{
	struct timespec t = {when->tv_sec + p->delta.tv_sec, when->tv_nsec + p->delta.tv_nsec};

	if (p->delta.tv_nsec == 0)
		return t;
	if (t.tv_nsec >= NSEC) {
		t.tv_nsec -= NSEC;
		t.tv_sec++;
	} else if (t.tv_nsec < 0) {
		t.tv_nsec += NSEC;
		t.tv_sec--;
	}
	return t;
}

bool plan_error(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "Specification error in configuration file (%s)\n[line %u] ", p->file,
		s->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}

bool plan_wrong(const struct plan *p, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "Semantic error in configuration file (%s)\n", p->file);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}

bool plan_warn(const struct plan *p, const struct rule_step *s, const char *fmt, ...)
{
	va_list ap;

	if (!p->warn)
		return true;
	fprintf(stderr, "Warning [%s, line %u]\n", p->file, s->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return true;
}

void plan_choose(struct plan *p, void *what)
{
	if ((p->nchosen & (p->nchosen - 1)) == 0) {
		size_t room = p->nchosen > 0 ? p->nchosen * 2 : 1;
		void **list = reallocarray(p->chosen, room, sizeof(*list));

		if (list == NULL)
			pmNoMem("plan", room * sizeof(*list), PM_FATAL_ERR);
		p->chosen = list;
	}
	p->chosen[p->nchosen++] = what;
}

bool plan_is_pmid(const struct rule_id *id, pmID pmid)
{
	return pmID_domain(pmid) == (unsigned int)id->domain &&
	       (id->any_cluster || pmID_cluster(pmid) == (unsigned int)id->cluster) &&
	       (id->any_item || pmID_item(pmid) == (unsigned int)id->item);
}

bool plan_is_indom(const struct rule_id *id, pmInDom indom)
{
	return pmInDom_domain(indom) == (unsigned int)id->domain &&
	       (id->any_item || pmInDom_serial(indom) == (unsigned int)id->item);
}

pmID plan_new_pmid(const struct rule_id *id, pmID old)
{
	return pmID_build((unsigned int)id->domain,
			  id->any_cluster ? pmID_cluster(old) : (unsigned int)id->cluster,
			  id->any_item ? pmID_item(old) : (unsigned int)id->item);
}

pmInDom plan_new_indom(const struct rule_id *id, pmInDom old)
{
	return pmInDom_build((unsigned int)id->domain,
			     id->any_item ? pmInDom_serial(old) : (unsigned int)id->item);
}

bool plan_find_name(struct plan *p, const struct rule_step *s, struct rule_id *id)
{
	const struct plan_metric *m;

	*id = s->id;
	if (s->id.name == NULL)
		return true;
	m = plan_named_metric(p, s->id.name);
	if (m == NULL) {
		plan_warn(p, s, "Metric: %s: Unknown metric name", s->id.name);
		return false;
	}
	*id = (struct rule_id){.name = s->id.name,
			       .domain = (int)pmID_domain(m->old->desc.pmid),
			       .cluster = (int)pmID_cluster(m->old->desc.pmid),
			       .item = (int)pmID_item(m->old->desc.pmid)};
	return true;
}

const char *plan_indom_text(pmInDom indom, char *buf, int len)
{
	return indom == PM_INDOM_NULL ? "PM_INDOM_NULL" : pmInDomStr_r(indom, buf, len);
}

/*
 * plan_global - the clauses of global rules.
 */

enum { MINUTES_MAX = 59, SECONDS_MAX = 59 };

/* A clause may be given once, and only in a version that has the field. */
static bool global_begin(struct plan *p, const struct rule_step *s, unsigned int what,
			 const char *word, int version)
{
	if (p->label.version < version)
		return plan_error(
		    p, s, "Global %s clause requires output archive version of %d or greater", word,
		    version);
	if (p->global & what)
		return plan_error(p, s, "Duplicate global %s clause", word);
	return true;
}

static bool global_set_text(struct plan *p, const struct rule_step *s, unsigned int what,
			    const char *word, char *field, const char *old)
{
	if (!global_begin(p, s, what, word, what == PLAN_ZONEINFO ? DISK_V3 : DISK_V2))
		return false;
	if (strcmp(old, s->text) == 0)
		return plan_warn(p, s, "Global %s (%s): No change", word, old);
	if (strlen(s->text) >= LOG_LABEL_TEXT)
		return plan_error(p, s, "Global %s is too long", word);
	strcpy(field, s->text);
	p->global |= what;
	return true;
}

bool plan_hostname(struct plan *p, const struct rule_step *s)
{
	return global_set_text(p, s, PLAN_HOSTNAME, "hostname", p->label.host, p->in->label->host);
}

bool plan_timezone(struct plan *p, const struct rule_step *s)
{
	return global_set_text(p, s, PLAN_TIMEZONE, "timezone", p->label.timezone,
			       p->in->label->timezone);
}

bool plan_zoneinfo(struct plan *p, const struct rule_step *s)
{
	return global_set_text(p, s, PLAN_ZONEINFO, "zoneinfo", p->label.zoneinfo,
			       p->in->label->zoneinfo);
}

bool plan_features(struct plan *p, const struct rule_step *s)
{
	if (!global_begin(p, s, PLAN_FEATURES, "features", DISK_V3))
		return false;
	if (p->in->label->features == s->features)
		return plan_warn(p, s, "Global features (%u): No change", s->features);
	p->label.features = s->features;
	p->global |= PLAN_FEATURES;
	return true;
}

bool plan_shift(struct plan *p, const struct rule_step *s)
{
	if (!global_begin(p, s, PLAN_TIME, "time", DISK_V2))
		return false;
	if (s->minutes > MINUTES_MAX)
		plan_warn(p, s, "Minutes (%d) in time clause more than 59", s->minutes);
	if (s->seconds > SECONDS_MAX)
		plan_warn(p, s, "Seconds (%s) in time clause more than 59", s->text);
	if (s->delta.tv_sec == 0 && s->delta.tv_nsec == 0)
		return plan_warn(p, s, "Global time: No change");
	p->delta = s->delta;
	if (s->flags & RULE_TO_NULL) {
		p->delta.tv_sec = -s->delta.tv_sec;
		p->delta.tv_nsec = -s->delta.tv_nsec;
	}
	p->global |= PLAN_TIME;
	return true;
}
