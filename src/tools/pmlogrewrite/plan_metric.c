/*
 * plan_metric - the clauses of rules for metrics and for instance domains.
 */
#include <string.h>

#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"

enum { TEXT_ROOM = 64, DYNAMIC_DOMAIN = 511 };

static void choose_numbered(struct plan *p, const struct rule_step *s, const struct rule_id *id)
{
	char text[TEXT_ROOM];

	for (size_t i = 0; i < p->nmetrics; i++)
		if (plan_is_pmid(id, p->metrics[i].old->desc.pmid))
			plan_choose(p, &p->metrics[i]);
	if (p->nchosen == 0 && !id->any_cluster && !id->any_item)
		plan_warn(p, s, "Metric %s pmNameID: Unknown or illegal metric identifier",
			  pmIDStr_r(plan_new_pmid(id, 0), text, sizeof(text)));
}

bool plan_metrics(struct plan *p, const struct rule_step *s)
{
	struct rule_id id;

	p->nchosen = 0;
	p->about_name = s->id.name;
	if (plan_find_name(p, s, &id))
		choose_numbered(p, s, &id);
	return true;
}

/* The name that the rule uses for the metric. */
static const char *name_of(const struct plan *p, const struct plan_metric *m)
{
	return p->about_name != NULL ? p->about_name : plan_metric_name(m);
}

static void warn_same(const struct plan *p, const struct rule_step *s, const struct plan_metric *m,
		      const char *what)
{
	char pmid[TEXT_ROOM];

	plan_warn(p, s, "Metric: %s (%s): %s: No change", name_of(p, m),
		  pmIDStr_r(m->old->desc.pmid, pmid, sizeof(pmid)), what);
}

/* True if a clause may be applied: the metric has none of its kind so far. */
static bool is_first(const struct plan *p, const struct rule_step *s, const struct plan_metric *m,
		     unsigned int flag, const char *word)
{
	if (m->flags & PLAN_DELETE)
		return plan_error(p, s, "Conflicting %s clause for deleted metric %s", word,
				  name_of(p, m));
	if (m->flags & flag)
		return plan_error(p, s, "Duplicate %s clause for metric %s", word, name_of(p, m));
	return true;
}

bool plan_metric_delete(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_metric *m = p->chosen[i];

		if (m->flags & ~(unsigned int)PLAN_DELETE)
			return plan_error(p, s,
					  "Conflicting delete and other clauses for metric %s",
					  name_of(p, m));
		m->flags = PLAN_DELETE;
	}
	return true;
}

bool plan_metric_rename(struct plan *p, const struct rule_step *s)
{
	pmID taken = archive_meta_pmid(p->in->meta, s->text);
	char pmid[TEXT_ROOM];

	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_metric *m = p->chosen[i];

		if (!is_first(p, s, m, PLAN_NAME, "name"))
			return false;
		if (strcmp(name_of(p, m), s->text) == 0) {
			warn_same(p, s, m, "name");
			continue;
		}
		if (taken != PM_ID_NULL)
			return plan_error(p, s, "Metric name %s already assigned for PMID %s",
					  s->text, pmIDStr_r(taken, pmid, sizeof(pmid)));
		m->flags |= PLAN_NAME;
		m->old_name = name_of(p, m);
		m->new_name = s->text;
	}
	return true;
}

bool plan_metric_pmid(struct plan *p, const struct rule_step *s)
{
	if (s->id.domain == DYNAMIC_DOMAIN)
		plan_warn(p, s, "Dynamic metric domain field (%d) for pmid", s->id.domain);
	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_metric *m = p->chosen[i];
		pmID now = plan_new_pmid(&s->id, m->old->desc.pmid);

		if (!is_first(p, s, m, PLAN_PMID, "pmid"))
			return false;
		if (now == m->now.pmid) {
			warn_same(p, s, m, "pmid");
			continue;
		}
		m->flags |= PLAN_PMID;
		m->now.pmid = now;
	}
	return true;
}

bool plan_metric_sem(struct plan *p, const struct rule_step *s)
{
	char what[TEXT_ROOM];

	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_metric *m = p->chosen[i];

		if (!is_first(p, s, m, PLAN_SEM, "sem"))
			return false;
		if (s->type == m->now.sem) {
			pmsprintf(what, sizeof(what), "sem: %s", pmSemStr(s->type));
			warn_same(p, s, m, what);
			continue;
		}
		m->flags |= PLAN_SEM;
		m->now.sem = s->type;
	}
	return true;
}

static bool is_numeric(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static bool set_type(const struct plan *p, const struct rule_step *s, struct plan_metric *m)
{
	int old = m->old->desc.type;
	char what[TEXT_ROOM], pmid[TEXT_ROOM];

	/* Several conditional clauses are allowed. */
	if (!is_first(p, s, m, s->flags & RULE_IF ? 0 : PLAN_TYPE, "type"))
		return false;
	if ((s->flags & RULE_IF) && s->old != old)
		return plan_warn(
		    p, s, "Metric: %s (%s): type: PM_TYPE_%s: No conditional change to PM_TYPE_%s",
		    name_of(p, m), pmIDStr_r(m->old->desc.pmid, pmid, sizeof(pmid)), pmTypeStr(old),
		    pmTypeStr(s->now));
	if (!is_numeric(old))
		return plan_error(p, s, "Old type (PM_TYPE_%s) must be numeric", pmTypeStr(old));
	if (s->now == old) {
		pmsprintf(what, sizeof(what), "type: PM_TYPE_%s", pmTypeStr(old));
		warn_same(p, s, m, what);
		return true;
	}
	m->flags |= PLAN_TYPE;
	m->now.type = s->now;
	return true;
}

bool plan_metric_type(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++)
		if (!set_type(p, s, p->chosen[i]))
			return false;
	return true;
}

static bool same_dimension(const pmUnits *a, const pmUnits *b)
{
	return a->dimSpace == b->dimSpace && a->dimTime == b->dimTime && a->dimCount == b->dimCount;
}

static bool same_scale(const pmUnits *a, const pmUnits *b)
{
	return a->scaleSpace == b->scaleSpace && a->scaleTime == b->scaleTime &&
	       a->scaleCount == b->scaleCount;
}

static bool set_units(const struct plan *p, const struct rule_step *s, struct plan_metric *m)
{
	const pmUnits *old = &m->old->desc.units;
	bool asked = (s->flags & RULE_RESCALE) != 0, same = same_dimension(old, &s->units);
	char what[TEXT_ROOM * 2], units[TEXT_ROOM], pmid[TEXT_ROOM];

	if (!is_first(p, s, m, PLAN_UNITS, "units"))
		return false;
	if (same && same_scale(old, &s->units)) {
		pmsprintf(what, sizeof(what), "units: %s", pmUnitsStr_r(old, units, sizeof(units)));
		warn_same(p, s, m, what);
		return true;
	}
	m->flags |= PLAN_UNITS;
	m->now.units = s->units;
	if (asked && !same)
		plan_warn(p, s, "Metric: %s (%s): Dimension changed, cannot rescale", name_of(p, m),
			  pmIDStr_r(m->old->desc.pmid, pmid, sizeof(pmid)));
	if ((asked || p->rescale) && same && is_numeric(m->old->desc.type))
		m->flags |= PLAN_RESCALE;
	return true;
}

bool plan_metric_units(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++)
		if (!set_units(p, s, p->chosen[i]))
			return false;
	return true;
}

/* The number of the requested instance in the metric's new domain. */
static void set_pick_inst(const struct plan *p, const struct rule_step *s, struct plan_metric *m,
			  pmInDom indom, const char *which)
{
	const struct archive_indom *all = NULL;
	char text[TEXT_ROOM];

	pmInDomStr_r(indom, text, sizeof(text));
	archive_meta_indom_union(p->in->meta, indom, &all);
	m->inst = s->pick == PICK_INST ? s->old : 0;
	if (s->pick == PICK_INAME) {
		int inst = all != NULL ? archive_indom_lookup(all, s->text) : -1;

		if (inst < 0) {
			m->inst_name = s->text;
			plan_warn(p, s,
				  "Instance \"%s\" from OUTPUT clause not found in %s indom %s",
				  s->text, which, text);
		} else {
			m->pick = PICK_INST;
			m->inst = inst;
		}
	} else if (all == NULL || archive_indom_inst(all, m->inst) == NULL) {
		plan_warn(p, s, "Instance %d from OUTPUT clause not found in %s indom %s", m->inst,
			  which, text);
	}
}

static bool set_pick(const struct plan *p, const struct rule_step *s, struct plan_metric *m)
{
	pmInDom old = m->old->desc.indom;

	m->pick = s->pick;
	if (s->pick >= PICK_MIN && old != PM_INDOM_NULL && !is_numeric(m->old->desc.type))
		return plan_error(p, s,
				  "OUTPUT option MIN, MAX, AVG or SUM requires type to be numeric, "
				  "not PM_TYPE_%s",
				  pmTypeStr(m->old->desc.type));
	if (s->pick == PICK_NONE && m->now.indom == PM_INDOM_NULL)
		m->pick = PICK_FIRST;
	if (old == PM_INDOM_NULL)
		set_pick_inst(p, s, m, m->now.indom, "new");
	else if (s->pick == PICK_INST || s->pick == PICK_INAME)
		set_pick_inst(p, s, m, old, "old");
	if (m->pick != PICK_NONE || old == PM_INDOM_NULL)
		m->flags |= PLAN_OUTPUT;
	return true;
}

static bool set_indom(const struct plan *p, const struct rule_step *s, struct plan_metric *m)
{
	pmInDom old = m->old->desc.indom;
	pmInDom now = s->flags & RULE_TO_NULL ? PM_INDOM_NULL : plan_new_indom(&s->id, old);
	char what[TEXT_ROOM], text[TEXT_ROOM];

	if (!is_first(p, s, m, PLAN_INDOM, "indom"))
		return false;
	if (now == old) {
		pmsprintf(what, sizeof(what), "indom: %s",
			  plan_indom_text(old, text, sizeof(text)));
		warn_same(p, s, m, what);
		return true;
	}
	m->flags |= PLAN_INDOM;
	m->now.indom = now;
	return set_pick(p, s, m);
}

bool plan_metric_indom(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++)
		if (!set_indom(p, s, p->chosen[i]))
			return false;
	return true;
}

/*
 * plan_indom - the clauses of rules for instance domains.
 */

enum { INDOM_ROOM = 24 };

bool plan_indom(struct plan *p, const struct rule_step *s)
{
	char text[INDOM_ROOM];

	p->nchosen = 0;
	for (size_t i = 0; i < p->ndomains; i++)
		if (plan_is_indom(&s->id, p->domains[i].old))
			plan_choose(p, &p->domains[i]);
	if (p->nchosen > 0 || s->id.any_item)
		return true;
	return plan_warn(p, s,
			 "Instance domain %s: Instance domain identifier not defined in the PCP "
			 "archive log",
			 pmInDomStr_r(plan_new_indom(&s->id, 0), text, sizeof(text)));
}

/* The length of the unique part: up to the first blank. */
static size_t unique(const char *name, size_t len)
{
	const char *blank = memchr(name, ' ', len);

	return blank != NULL ? (size_t)(blank - name) : len;
}

static bool is_called(const struct wire_str *full, const char *name)
{
	size_t len = strlen(name);

	if (full->len == len && memcmp(full->s, name, len) == 0)
		return true;
	return unique(full->s, full->len) == len && memcmp(full->s, name, len) == 0;
}

static bool conflict(const struct plan *p, const struct rule_step *s, const struct plan_domain *d,
		     const struct plan_inst *inst)
{
	char text[INDOM_ROOM];

	return plan_error(p, s,
			  "Duplicate or conflicting clauses for instance [%d] \"%.*s\" of indom %s",
			  inst->old.inst, (int)inst->old.name.len, inst->old.name.s,
			  pmInDomStr_r(d->old, text, sizeof(text)));
}

static bool rename_inst(const struct plan *p, const struct rule_step *s, struct plan_domain *d,
			struct plan_inst *inst)
{
	bool gone = (s->flags & RULE_TO_DELETE) != 0;
	char text[INDOM_ROOM];

	if (inst->deleted || inst->name != NULL || (gone && inst->renumbered))
		return conflict(p, s, d, inst);
	if (gone) {
		inst->deleted = true;
	} else if (inst->old.name.len == strlen(s->value) &&
		   memcmp(inst->old.name.s, s->value, inst->old.name.len) == 0) {
		return plan_warn(p, s, "Instance domain %s: Instance: \"%s\": No change",
				 pmInDomStr_r(d->old, text, sizeof(text)), s->value);
	} else {
		inst->name = s->value;
	}
	d->changed = true;
	return true;
}

bool plan_indom_iname(struct plan *p, const struct rule_step *s)
{
	char text[INDOM_ROOM];

	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_domain *d = p->chosen[i];
		size_t found = 0;

		for (size_t j = 0; j < d->n; j++) {
			if (!is_called(&d->insts[j].old.name, s->text))
				continue;
			found++;
			if (!rename_inst(p, s, d, &d->insts[j]))
				return false;
		}
		if (found == 0)
			plan_warn(p, s, "Unknown instance \"%s\" in iname clause for indom %s",
				  s->text, pmInDomStr_r(d->old, text, sizeof(text)));
	}
	return true;
}

static bool plan_rules_renumber(const struct plan *p, const struct rule_step *s,
				struct plan_domain *d, struct plan_inst *inst)
{
	bool gone = (s->flags & RULE_TO_DELETE) != 0;
	char text[INDOM_ROOM];

	if (inst->deleted || inst->renumbered || (gone && inst->name != NULL))
		return conflict(p, s, d, inst);
	if (gone) {
		inst->deleted = true;
	} else if (s->old == s->now) {
		return plan_warn(p, s, "Instance domain %s: Instance: %d: No change",
				 pmInDomStr_r(d->old, text, sizeof(text)), s->old);
	} else {
		inst->id = s->now;
		inst->renumbered = true;
	}
	d->changed = true;
	return true;
}

bool plan_indom_inst(struct plan *p, const struct rule_step *s)
{
	char text[INDOM_ROOM];

	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_domain *d = p->chosen[i];
		size_t found = 0;

		for (size_t j = 0; j < d->n; j++) {
			if (d->insts[j].old.inst != s->old)
				continue;
			found++;
			if (!plan_rules_renumber(p, s, d, &d->insts[j]))
				return false;
		}
		if (found == 0)
			plan_warn(p, s, "Unknown instance %d in inst clause for indom %s", s->old,
				  pmInDomStr_r(d->old, text, sizeof(text)));
	}
	return true;
}

bool plan_indom_move(struct plan *p, const struct rule_step *s)
{
	char text[INDOM_ROOM];

	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_domain *d = p->chosen[i];
		pmInDom now = plan_new_indom(&s->id, d->old);

		pmInDomStr_r(d->old, text, sizeof(text));
		if (d->moved)
			return plan_error(p, s, "Duplicate indom clause for indom %s", text);
		if (now == d->old) {
			plan_warn(p, s, "Instance domain %s: indom: No change", text);
			continue;
		}
		d->now = now;
		d->moved = true;
		d->duplicate = (s->flags & RULE_TO_DUPLICATE) != 0;
	}
	return true;
}
