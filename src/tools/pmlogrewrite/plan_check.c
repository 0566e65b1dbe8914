/*
 * plan_check - applies the rules step by step, checks them together, and derives further changes.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/pmlogrewrite/plan.h"

enum { TEXT_ROOM = 32 };

/* An instance after the changes. */
struct outcome {
	int id;
	const char *name;
	size_t len, unique;
	bool changed;
};

static struct outcome outcome_of(const struct plan_domain *d, const struct wire_inst *inst,
				 const struct archive_indom *now, bool *ret_deleted)
{
	const struct plan_inst *pi = plan_inst(d, inst->inst, now);
	struct outcome o = {.id = inst->inst, .name = inst->name.s, .len = inst->name.len};
	const char *blank;

	*ret_deleted = pi != NULL && pi->deleted;
	if (pi != NULL) {
		o.id = pi->id;
		o.changed = pi->renumbered || pi->name != NULL;
		if (pi->name != NULL) {
			o.name = pi->name;
			o.len = strlen(pi->name);
		}
	}
	blank = memchr(o.name, ' ', o.len);
	o.unique = blank != NULL ? (size_t)(blank - o.name) : o.len;
	return o;
}

static int by_id(const void *a, const void *b)
{
	const struct outcome *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_name(const void *a, const void *b)
{
	const struct outcome *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->unique < y->unique ? x->unique : y->unique);

	if (c != 0)
		return c;
	if (x->unique != y->unique)
		return x->unique < y->unique ? -1 : 1;
	return by_id(a, b);
}

static bool check_unique(const struct plan *p, const struct plan_domain *d, struct outcome *list,
			 size_t n)
{
	char indom[TEXT_ROOM];

	pmInDomStr_r(d->old, indom, sizeof(indom));
	qsort(list, n, sizeof(*list), by_id);
	for (size_t i = 1; i < n; i++) {
		const struct outcome *a = &list[i - 1], *b = &list[i];

		if (a->id == b->id)
			return plan_wrong(
			    p, "Duplicate instance id %d (\"%.*s\" and \"%.*s\") for indom %s",
			    a->id, (int)a->len, a->name, (int)b->len, b->name, indom);
	}
	qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 1; i < n; i++) {
		const struct outcome *a = &list[i - 1], *b = &list[i];

		if ((a->changed || b->changed) && a->unique == b->unique &&
		    memcmp(a->name, b->name, a->unique) == 0)
			return plan_wrong(p,
					  "Duplicate instance name \"%.*s\" (%d) and \"%.*s\" (%d) "
					  "for indom %s",
					  (int)a->len, a->name, a->id, (int)b->len, b->name, b->id,
					  indom);
	}
	return true;
}

/* At no time may two instances have the same number or name. */
static bool check_domain(const struct plan *p, const struct plan_domain *d)
{
	bool ok = true;

	for (int i = 0; i < d->nseen && ok && d->changed; i++) {
		const struct archive_indom *now = d->seen[i];
		struct outcome *list = calloc(now->n + 1, sizeof(*list));
		size_t n = 0;

		if (list == NULL)
			pmNoMem("instances", now->n * sizeof(*list), PM_FATAL_ERR);
		for (size_t j = 0; j < now->n; j++) {
			bool deleted;

			list[n] = outcome_of(d, &now->insts[j], now, &deleted);
			n += !deleted;
		}
		ok = check_unique(p, d, list, n);
		free(list);
	}
	return ok;
}

/* A domain of the output. */
static bool has_indom(const struct plan *p, pmInDom indom)
{
	for (size_t i = 0; i < p->ndomains; i++) {
		const struct plan_domain *d = &p->domains[i];

		if (d->now == indom || (d->duplicate && d->old == indom))
			return true;
	}
	return false;
}

/*
 * The domain whose changes of instances apply to the values of a metric: the one that it ends in.
 */
static struct plan_domain *map_of(const struct plan *p, const struct plan_metric *m)
{
	struct plan_domain *from = plan_domain(p, m->old->desc.indom);

	if (m->now.indom == PM_INDOM_NULL)
		return from;
	if (from != NULL && from->now == m->now.indom)
		return from;
	if (from != NULL && from->duplicate && from->old == m->now.indom)
		return NULL;
	for (size_t i = 0; i < p->ndomains; i++)
		if (p->domains[i].now == m->now.indom)
			return &p->domains[i];
	return NULL;
}

static bool settle_metric(const struct plan *p, struct plan_metric *m)
{
	struct plan_domain *from = plan_domain(p, m->old->desc.indom);
	char one[TEXT_ROOM], other[TEXT_ROOM];

	if (m->flags & PLAN_DELETE)
		return true;
	if (from != NULL && from->moved && !from->duplicate) {
		if ((m->flags & PLAN_INDOM) && m->now.indom != from->now)
			return plan_wrong(p,
					  "Conflicting indom change for metric %s (%s from metric "
					  "clause, %s from indom clause)",
					  plan_metric_name(m),
					  plan_indom_text(m->now.indom, one, sizeof(one)),
					  pmInDomStr_r(from->now, other, sizeof(other)));
		m->now.indom = from->now;
		m->flags |= PLAN_FOLLOWS;
	} else if ((m->flags & PLAN_INDOM) && m->now.indom != PM_INDOM_NULL &&
		   !has_indom(p, m->now.indom)) {
		return plan_wrong(p, "New indom (%s) for metric %s is not in the output archive",
				  pmInDomStr_r(m->now.indom, one, sizeof(one)),
				  plan_metric_name(m));
	}
	m->map = map_of(p, m);
	if (m->map != NULL && m->map->changed)
		m->flags |= PLAN_INSTS;
	if (from != NULL && from->changed && !from->duplicate && m->now.indom != PM_INDOM_NULL)
		m->flags |= PLAN_INSTS; /* deleted ones, of a metric that moves to another domain */
	return true;
}

/* A domain is dropped with the last metric that had it. */
static void settle_domain(const struct plan *p, struct plan_domain *d)
{
	bool had = false, has = false;

	for (size_t i = 0; i < p->nmetrics; i++) {
		const struct plan_metric *m = &p->metrics[i];

		had = had || m->old->desc.indom == d->old;
		has = has || ((m->flags & PLAN_DELETE) == 0 && m->now.indom == d->now);
	}
	d->dropped = had && !has && !d->duplicate;
}

static bool same_desc(const pmDesc *a, const pmDesc *b)
{
	return a->type == b->type && a->sem == b->sem && a->indom == b->indom &&
	       memcmp(&a->units, &b->units, sizeof(a->units)) == 0;
}

/* Metrics may be merged if they agree. */
static bool check_pmid(const struct plan *p, const struct plan_metric *m)
{
	char text[TEXT_ROOM];

	for (size_t i = 0; i < p->nmetrics && (m->flags & PLAN_PMID); i++) {
		const struct plan_metric *other = &p->metrics[i];

		if (other == m || (other->flags & PLAN_DELETE) || other->now.pmid != m->now.pmid ||
		    same_desc(&other->now, &m->now))
			continue;
		return plan_wrong(
		    p, "New PMID (%s) for metric %s is that of metric %s, which is not alike",
		    pmIDStr_r(m->now.pmid, text, sizeof(text)), plan_metric_name(m),
		    plan_metric_name(other));
	}
	return true;
}

static bool check_name(const struct plan *p, const struct plan_metric *m)
{
	char text[TEXT_ROOM];

	for (const struct plan_metric *other = p->metrics; other < m && (m->flags & PLAN_NAME);
	     other++)
		if ((other->flags & PLAN_NAME) && other->now.pmid != m->now.pmid &&
		    strcmp(other->new_name, m->new_name) == 0)
			return plan_wrong(p, "Metric name %s already assigned for PMID %s",
					  m->new_name,
					  pmIDStr_r(other->now.pmid, text, sizeof(text)));
	return true;
}

static bool settle_text(const struct plan *p, struct plan_text *t)
{
	char text[TEXT_ROOM];

	if (t->moved && (t->type & PM_TEXT_INDOM) && !has_indom(p, t->now))
		return plan_wrong(p, "New indom (%s) for help text is not in the output archive",
				  pmInDomStr_r(t->now, text, sizeof(text)));
	if (t->moved || t->deleted)
		return true;
	if (t->type & PM_TEXT_PMID) {
		const struct plan_metric *m = plan_metric(p, t->ident);

		t->deleted = m != NULL && (m->flags & PLAN_DELETE);
		t->now = m != NULL ? m->now.pmid : t->ident;
	} else {
		const struct plan_domain *d = plan_domain(p, t->ident);

		t->deleted = d != NULL && d->dropped;
		t->now = d != NULL ? d->now : t->ident;
	}
	t->follows = t->now != t->ident && !t->deleted;
	return true;
}

static bool check_label(const struct plan *p, const struct plan_label *l)
{
	char one[TEXT_ROOM];

	if (l->kind != RULE_LABEL_MOVE ||
	    (l->type != PM_LABEL_INDOM && l->type != PM_LABEL_INSTANCES) || has_indom(p, l->now))
		return true;
	pmInDomStr_r(l->now, one, sizeof(one));
	return plan_wrong(p, "New indom (%s) for label set InDom %s is not in the output archive",
			  one, one);
}

bool plan_check(struct plan *p)
{
	bool ok = true;

	for (size_t i = 0; i < p->ndomains && ok; i++)
		ok = check_domain(p, &p->domains[i]);
	for (size_t i = 0; i < p->nmetrics && ok; i++)
		ok = settle_metric(p, &p->metrics[i]);
	for (size_t i = 0; i < p->ndomains && ok; i++)
		settle_domain(p, &p->domains[i]);
	for (size_t i = 0; i < p->nmetrics && ok; i++)
		ok = check_pmid(p, &p->metrics[i]) && check_name(p, &p->metrics[i]);
	for (size_t i = 0; i < p->ntexts && ok; i++)
		ok = settle_text(p, &p->texts[i]);
	for (size_t i = 0; i < p->nlabels && ok; i++)
		ok = check_label(p, &p->labels[i]);
	return ok;
}

bool plan_changes(const struct plan *p)
{
	bool any = p->global != 0 || p->nlabels > 0;

	for (size_t i = 0; i < p->nmetrics && !any; i++)
		any = p->metrics[i].flags != 0;
	for (size_t i = 0; i < p->ndomains && !any; i++)
		any = p->domains[i].moved || p->domains[i].changed;
	for (size_t i = 0; i < p->ntexts && !any; i++)
		any = p->texts[i].ruled;
	return any;
}

/*
 * The steps of rules, one row each
 */

/* clang-format off */
static const plan_step steps[] = {
	[RULE_HOSTNAME] = plan_hostname,
	[RULE_TIME] = plan_shift,
	[RULE_TIMEZONE] = plan_timezone,
	[RULE_ZONEINFO] = plan_zoneinfo,
	[RULE_FEATURES] = plan_features,
	[RULE_INDOM] = plan_indom,
	[RULE_INDOM_INAME] = plan_indom_iname,
	[RULE_INDOM_INST] = plan_indom_inst,
	[RULE_INDOM_MOVE] = plan_indom_move,
	[RULE_METRIC] = plan_metrics,
	[RULE_METRIC_DELETE] = plan_metric_delete,
	[RULE_METRIC_NAME] = plan_metric_rename,
	[RULE_METRIC_PMID] = plan_metric_pmid,
	[RULE_METRIC_SEM] = plan_metric_sem,
	[RULE_METRIC_TYPE] = plan_metric_type,
	[RULE_METRIC_UNITS] = plan_metric_units,
	[RULE_METRIC_INDOM] = plan_metric_indom,
	[RULE_TEXT] = plan_text,
	[RULE_TEXT_DELETE] = plan_text_delete,
	[RULE_TEXT_MOVE] = plan_text_move,
	[RULE_TEXT_REPLACE] = plan_text_replace,
	[RULE_LABEL] = plan_label,
	[RULE_LABEL_DELETE] = plan_label_change,
	[RULE_LABEL_NEW] = plan_label_new,
	[RULE_LABEL_NAME] = plan_label_change,
	[RULE_LABEL_VALUE] = plan_label_change,
	[RULE_LABEL_MOVE] = plan_label_move,
	[RULE_LABEL_INSTANCE] = plan_label_change,
};
/* clang-format on */

bool plan_apply(struct plan *p, const char *file, const struct rules *rules)
{
	p->file = file;
	p->nchosen = 0;
	for (size_t i = 0; i < rules->n; i++)
		if (!steps[rules->steps[i].kind](p, &rules->steps[i]))
			return false;
	if (rules->error[0] == '\0')
		return true;
	return plan_error(p, &(struct rule_step){.line = rules->error_line}, "%s", rules->error);
}
