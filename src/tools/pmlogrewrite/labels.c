/*
 * labels - the labels of the new archive.
 *
 * A source is a subject of the input that some change affects. Its newest record is kept as items,
 * each with its destination. The record of a target is made of the items of all its sources
 * (label_record.c). Subjects that no change affects are copied unchanged.
 */
#include "tools/pmlogrewrite/pmlogrewrite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libdisk/meta.h"
#include "libstore/archive_writer.h"
#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"

/* The default destination of a subject's labels: this subject, with its instances mapped. */
struct course {
	uint32_t ident;
	const struct plan_domain *map;
};

struct source {
	int type;
	uint32_t ident;
	struct course *courses;
	size_t ncourses;
	struct label_item *items; /* owned; the items of the newest record */
	size_t n, room;
	struct arena mem; /* their texts */
};

struct target {
	int type;
	uint32_t ident;
	bool written;
	bool stale; /* one of its sources changed */
};

struct labels {
	const struct plan *plan;
	struct source *sources;
	size_t nsources;
	struct target *targets;
	size_t ntargets;
	struct buffer json;
};

static void *labels_grow(void *list, size_t n, size_t size)
{
	list = reallocarray(list, n, size);
	if (list == NULL)
		pmNoMem("labels", n * size, PM_FATAL_ERR);
	return list;
}

static void add_course(struct source *s, uint32_t ident, const struct plan_domain *map)
{
	for (size_t i = 0; i < s->ncourses; i++)
		if (s->courses[i].ident == ident)
			return;
	s->courses = labels_grow(s->courses, s->ncourses + 1, sizeof(s->courses[0]));
	s->courses[s->ncourses++] = (struct course){ident, map};
}

static uint32_t level_of(int type, pmID pmid)
{
	if (type == PM_LABEL_DOMAIN)
		return pmID_domain(pmid);
	if (type == PM_LABEL_CLUSTER)
		return pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0);
	return pmid;
}

/* The labels of a domain, cluster or metric follow its metrics. */
static void follow_metrics(const struct plan *p, struct source *s)
{
	bool any = false;

	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct plan_metric *m = &p->metrics[i];

		if (level_of(s->type, m->old->desc.pmid) != s->ident)
			continue;
		any = true;
		if ((m->flags & PLAN_DELETE) == 0)
			add_course(s, level_of(s->type, m->now.pmid), NULL);
	}
	if (!any)
		add_course(s, s->ident, NULL);
}

static void follow_domain(const struct plan *p, struct source *s)
{
	const struct plan_domain *d = plan_domain(p, s->ident);

	if (d == NULL) {
		add_course(s, s->ident, NULL);
		return;
	}
	if (d->dropped)
		return;
	if (d->duplicate)
		add_course(s, d->old, NULL);
	add_course(s, d->now, d->changed && s->type == PM_LABEL_INSTANCES ? d : NULL);
}

static void add_target(struct labels *l, int type, uint32_t ident)
{
	for (size_t i = 0; i < l->ntargets; i++)
		if (l->targets[i].type == type && l->targets[i].ident == ident)
			return;
	l->targets = labels_grow(l->targets, l->ntargets + 1, sizeof(l->targets[0]));
	l->targets[l->ntargets++] = (struct target){type, ident, false, false};
}

static struct source *find_source(const struct labels *l, int type, uint32_t ident)
{
	for (size_t i = 0; i < l->nsources; i++)
		if (l->sources[i].type == type && l->sources[i].ident == ident)
			return &l->sources[i];
	return NULL;
}

/* True if labels of this subject are changed or moved. */
static bool is_involved(const struct plan *p, const struct source *s)
{
	if (s->ncourses != 1 || s->courses[0].ident != s->ident || s->courses[0].map != NULL)
		return true;
	for (size_t i = 0; i < p->nlabels; i++)
		if (p->labels[i].type == s->type && p->labels[i].ident == s->ident)
			return true;
	return false;
}

static void drop_source(struct source *s)
{
	free(s->courses);
	free(s->items);
	arena_done(&s->mem);
}

static void add_source(struct labels *l, int type, uint32_t ident, bool always)
{
	const struct plan *p = l->plan;
	struct source s = {.type = type, .ident = ident};

	if (find_source(l, type, ident) != NULL)
		return;
	if (type == PM_LABEL_CONTEXT)
		add_course(&s, ident, NULL);
	else if (type == PM_LABEL_INDOM || type == PM_LABEL_INSTANCES)
		follow_domain(p, &s);
	else
		follow_metrics(p, &s);
	if (!always && !is_involved(p, &s)) {
		drop_source(&s);
		return;
	}
	for (size_t i = 0; i < s.ncourses; i++)
		add_target(l, type, s.courses[i].ident);
	for (size_t i = 0; i < p->nlabels; i++)
		if (p->labels[i].kind == RULE_LABEL_MOVE && p->labels[i].type == type &&
		    p->labels[i].ident == ident)
			add_target(l, type, p->labels[i].now);
	l->sources = labels_grow(l->sources, l->nsources + 1, sizeof(s));
	l->sources[l->nsources++] = s;
}

struct labels *labels_new(const struct plan *plan)
{
	struct labels *l = calloc(1, sizeof(*l));

	if (l == NULL)
		pmNoMem("labels", sizeof(*l), PM_FATAL_ERR);
	l->plan = plan;
	for (size_t i = 0; i < plan->nsubjects; i++)
		add_source(l, plan->subjects[i].type, plan->subjects[i].ident, false);
	for (size_t i = 0; i < plan->nlabels; i++)
		add_source(l, plan->labels[i].type, plan->labels[i].ident, false);
	/* The labels of a target are merged with its own labels. */
	for (size_t i = 0; i < l->ntargets; i++)
		add_source(l, l->targets[i].type, l->targets[i].ident, true);
	return l;
}

void labels_free(struct labels *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < l->nsources; i++)
		drop_source(&l->sources[i]);
	free(l->sources);
	free(l->targets);
	buffer_done(&l->json);
	free(l);
}

static struct wire_str keep(struct source *s, struct wire_str text)
{
	char *copy = arena_strndup(&s->mem, text.s, text.len);

	if (copy == NULL)
		pmNoMem("labels", text.len, PM_FATAL_ERR);
	return (struct wire_str){copy, text.len};
}

static void add_item(struct source *s, struct label_item item)
{
	if (s->n == s->room) {
		s->room = s->room * 2 + 16;
		s->items = labels_grow(s->items, s->room, sizeof(item));
	}
	item.name = keep(s, item.name);
	item.value = keep(s, item.value);
	s->items[s->n++] = item;
}

static struct wire_str text_of(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

static bool is_text(const struct wire_str *a, const char *b)
{
	return b == NULL || (a->len == strlen(b) && memcmp(a->s, b, a->len) == 0);
}

/* The result of the rules for a label. */
struct fate {
	bool gone;
	bool moved;
	uint32_t ident; /* if moved */
	int inst;
	bool renumbered;
};

static struct fate labels_judge(const struct plan *p, const struct source *s,
				struct label_item *item)
{
	const struct label_item was = *item;
	struct fate fate = {.inst = was.inst};

	for (size_t i = 0; i < p->nlabels; i++) {
		const struct plan_label *rule = &p->labels[i];

		if (rule->type != s->type || rule->ident != s->ident ||
		    (!rule->any_inst && s->type == PM_LABEL_INSTANCES && rule->inst != was.inst) ||
		    !is_text(&was.name, rule->name) || !is_text(&was.value, rule->value))
			continue;
		if (rule->kind == RULE_LABEL_DELETE) {
			fate.gone = true;
		} else if (rule->kind == RULE_LABEL_MOVE) {
			fate.moved = true;
			fate.ident = rule->now;
		} else if (rule->kind == RULE_LABEL_INSTANCE) {
			fate.renumbered = true;
			fate.inst = rule->new_inst;
		} else if (rule->kind == RULE_LABEL_NAME && was.name.len > 0) {
			item->name = text_of(rule->new_name);
			item->changed = true;
		} else if (rule->kind == RULE_LABEL_VALUE && was.name.len > 0) {
			item->value = text_of(rule->new_value);
			item->changed = true;
		}
	}
	return fate;
}

/* A label is sent to the destination of its subject, or to the one that a rule gives. */
static void send_item(struct labels *l, struct source *s, struct label_item item)
{
	struct fate fate = labels_judge(l->plan, s, &item);

	if (fate.gone)
		return;
	item.inst = fate.inst;
	if (fate.moved) {
		item.ident = fate.ident;
		item.changed = true;
		add_item(s, item);
		return;
	}
	for (size_t i = 0; i < s->ncourses; i++) {
		const struct course *c = &s->courses[i];
		const struct plan_inst *inst =
		    c->map != NULL && !fate.renumbered ? plan_inst(c->map, item.inst, NULL) : NULL;
		struct label_item copy = item;

		if (inst != NULL && inst->deleted)
			continue;
		if (inst != NULL)
			copy.inst = inst->id;
		copy.ident = c->ident;
		add_item(s, copy);
	}
}

static void send_set(struct labels *l, struct source *s, const struct wire_labelset *set)
{
	struct label_item item = {.inst = set->inst, .name = {"", 0}, .value = {"", 0}};

	if (set->nlabels <= 0) {
		send_item(l, s, item);
		return;
	}
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *label = &set->labels[i];

		item.name = (struct wire_str){set->json.s + label->name, label->namelen};
		item.value = (struct wire_str){set->json.s + label->value, label->valuelen};
		item.flags = label->flags;
		send_item(l, s, item);
	}
}

/* New labels are added last; other rules do not apply to them. */
static void send_new(struct labels *l, struct source *s, const struct plan_label *rule, int inst)
{
	struct label_item item = {.inst = inst,
				  .name = text_of(rule->new_name),
				  .value = text_of(rule->new_value),
				  .flags = (uint8_t)rule->type,
				  .changed = true};

	for (size_t i = 0; i < s->ncourses; i++) {
		const struct course *c = &s->courses[i];
		const struct plan_inst *pi = c->map != NULL ? plan_inst(c->map, inst, NULL) : NULL;
		struct label_item copy = item;

		if (pi != NULL && pi->deleted)
			continue;
		if (pi != NULL)
			copy.inst = pi->id;
		copy.ident = c->ident;
		add_item(s, copy);
	}
}

static bool send_all_new(struct labels *l, struct source *s)
{
	const struct plan *p = l->plan;
	bool any = false;

	for (size_t i = 0; i < p->nlabels; i++) {
		const struct plan_label *rule = &p->labels[i];
		const struct archive_indom *all = NULL;

		if (rule->kind != RULE_LABEL_NEW || rule->type != s->type ||
		    rule->ident != s->ident)
			continue;
		any = true;
		if (rule->type != PM_LABEL_INSTANCES) {
			send_new(l, s, rule, PM_IN_NULL);
		} else if (!rule->any_inst) {
			send_new(l, s, rule, rule->inst);
		} else {
			archive_meta_indom_union(p->in->meta, s->ident, &all);
			for (size_t j = 0; all != NULL && j < all->n; j++)
				send_new(l, s, rule, all->insts[j].inst);
		}
	}
	return any;
}

static void mark_stale(struct labels *l, const struct source *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < l->ntargets; j++)
			if (l->targets[j].type == s->type &&
			    l->targets[j].ident == s->items[i].ident)
				l->targets[j].stale = true;
}

/* All items of a target. Its own come first, so that moved ones replace them. */
static struct label_item *gather(const struct labels *l, const struct target *t, size_t *ret_n)
{
	struct label_item *items;
	size_t n = 0, total = 0;

	for (size_t i = 0; i < l->nsources; i++)
		total += l->sources[i].n;
	items = calloc(total + 1, sizeof(*items));
	if (items == NULL)
		pmNoMem("labels", total, PM_FATAL_ERR);
	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < l->nsources; i++) {
			const struct source *s = &l->sources[i];

			if (s->type != t->type || (s->ident == t->ident) != (own == 1))
				continue;
			for (size_t j = 0; j < s->n; j++)
				if (s->items[j].ident == t->ident)
					items[n++] = s->items[j];
		}
	}
	*ret_n = n;
	return items;
}

static int write_target(struct labels *l, struct archive_writer *w, struct target *t,
			const struct timespec *when)
{
	const struct label_record record = {.type = t->type, .ident = t->ident, .when = when};
	size_t n;
	struct label_item *items = gather(l, t, &n);
	int sts = label_record_write(&record, w, items, n, t->written, &l->json);

	if (sts > 0)
		t->written = true;
	free(items);
	return sts < 0 ? sts : 0;
}

static int write_stale(struct labels *l, struct archive_writer *w, const struct timespec *when)
{
	int sts = 0;

	for (size_t i = 0; i < l->ntargets && sts >= 0; i++) {
		if (!l->targets[i].stale)
			continue;
		l->targets[i].stale = false;
		sts = write_target(l, w, &l->targets[i], when);
	}
	return sts;
}

int labels_begin(struct labels *l, struct archive_writer *w, const struct timespec *when)
{
	for (size_t i = 0; i < l->nsources; i++)
		if (send_all_new(l, &l->sources[i]))
			mark_stale(l, &l->sources[i]);
	return write_stale(l, w, when);
}

int labels_put(struct labels *l, struct archive_writer *w, const struct meta_label *body)
{
	struct source *s = find_source(l, body->type, body->ident);
	struct timespec when = plan_time(l->plan, &body->stamp);

	if (s == NULL) {
		union meta_body same = {.label = *body};

		same.label.stamp = when;
		return archive_writer_meta(w, META_LABEL, &same);
	}
	mark_stale(l, s);
	s->n = 0;
	arena_reset(&s->mem);
	for (uint32_t i = 0; i < body->numset; i++)
		send_set(l, s, &body->sets[i]);
	send_all_new(l, s);
	mark_stale(l, s);
	return write_stale(l, w, &when);
}
