/*
 * plan_indom - the clauses of rules for instance domains.
 */
#include <string.h>

#include "tools/pmlogrewrite/plan_inner.h"

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

static bool renumber(const struct plan *p, const struct rule_step *s, struct plan_domain *d,
		     struct plan_inst *inst)
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
			if (!renumber(p, s, d, &d->insts[j]))
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
