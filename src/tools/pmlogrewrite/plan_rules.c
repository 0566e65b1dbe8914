/*
 * plan_rules - the clauses of global rules, and of rules for help texts and instance domains.
 */
#include <string.h>

#include "libdisk/limits.h"
#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"

/*
 * plan_global - the clauses of global rules.
 */

enum { MINUTES_MAX = 59, SECONDS_MAX = 59 };

/* A clause may be given once, and only in a version that has the field. */
static bool plan_rules_begin(struct plan *p, const struct rule_step *s, unsigned int what,
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

static bool plan_rules_set_text(struct plan *p, const struct rule_step *s, unsigned int what,
				const char *word, char *field, const char *old)
{
	if (!plan_rules_begin(p, s, what, word, what == PLAN_ZONEINFO ? DISK_V3 : DISK_V2))
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
	return plan_rules_set_text(p, s, PLAN_HOSTNAME, "hostname", p->label.host,
				   p->in->label->host);
}

bool plan_timezone(struct plan *p, const struct rule_step *s)
{
	return plan_rules_set_text(p, s, PLAN_TIMEZONE, "timezone", p->label.timezone,
				   p->in->label->timezone);
}

bool plan_zoneinfo(struct plan *p, const struct rule_step *s)
{
	return plan_rules_set_text(p, s, PLAN_ZONEINFO, "zoneinfo", p->label.zoneinfo,
				   p->in->label->zoneinfo);
}

bool plan_features(struct plan *p, const struct rule_step *s)
{
	if (!plan_rules_begin(p, s, PLAN_FEATURES, "features", DISK_V3))
		return false;
	if (p->in->label->features == s->features)
		return plan_warn(p, s, "Global features (%u): No change", s->features);
	p->label.features = s->features;
	p->global |= PLAN_FEATURES;
	return true;
}

bool plan_shift(struct plan *p, const struct rule_step *s)
{
	if (!plan_rules_begin(p, s, PLAN_TIME, "time", DISK_V2))
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

/*
 * plan_text - the clauses of rules for help texts.
 */

enum { LEVELS = PM_TEXT_ONELINE | PM_TEXT_HELP, TARGETS = PM_TEXT_PMID | PM_TEXT_INDOM };

static bool is_meant(const struct plan_text *t, const struct rule_step *s, const struct rule_id *id)
{
	if ((t->type & s->type & LEVELS) == 0 || (t->type & s->type & TARGETS) == 0)
		return false;
	if (s->text != NULL && strstr(t->text, s->text) == NULL)
		return false;
	return t->type & PM_TEXT_PMID ? plan_is_pmid(id, t->ident) : plan_is_indom(id, t->ident);
}

bool plan_text(struct plan *p, const struct rule_step *s)
{
	struct rule_id id;

	p->nchosen = 0;
	p->about = *s;
	if (!plan_find_name(p, s, &id))
		return true;
	for (size_t i = 0; i < p->ntexts; i++)
		if (is_meant(&p->texts[i], s, &id))
			plan_choose(p, &p->texts[i]);
	return true;
}

static bool deny_deleted(const struct plan *p, const struct rule_step *s, const struct plan_text *t,
			 const char *word)
{
	if (t->deleted)
		return plan_error(p, s, "Conflicting %s clause for deleted help text", word);
	return true;
}

bool plan_text_delete(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_text *t = p->chosen[i];

		if (t->moved || t->replaced)
			return plan_error(p, s,
					  "Conflicting delete and other clauses for help text");
		t->deleted = t->ruled = true;
	}
	return true;
}

bool plan_text_replace(struct plan *p, const struct rule_step *s)
{
	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_text *t = p->chosen[i];

		if (!deny_deleted(p, s, t, "text"))
			return false;
		if (t->replaced)
			return plan_error(p, s, "Duplicate text clause for help text");
		if (strcmp(t->text, s->text) == 0) {
			plan_warn(p, s, "Help text: \"%s\": No change", t->text);
			continue;
		}
		t->replaced = t->ruled = true;
		t->now_text = s->text;
	}
	return true;
}

static bool move(const struct plan *p, const struct rule_step *s, struct plan_text *t)
{
	bool metric = s->type == PM_TEXT_PMID;
	uint32_t now = metric ? plan_new_pmid(&s->id, t->ident) : plan_new_indom(&s->id, t->ident);
	const char *word = metric ? "metric" : "indom";
	char text[32];

	if (!deny_deleted(p, s, t, word))
		return false;
	if (t->moved)
		return plan_error(p, s, "Duplicate %s clause for help text", word);
	if (now == t->ident && metric)
		return plan_warn(p, s, "Text for metric: %s: metric: No change",
				 pmIDStr_r(now, text, sizeof(text)));
	if (now == t->ident)
		return plan_warn(p, s, "Text for instance domain %s: indom: No change",
				 pmInDomStr_r(now, text, sizeof(text)));
	t->moved = t->ruled = true;
	t->now = now;
	return true;
}

bool plan_text_move(struct plan *p, const struct rule_step *s)
{
	if ((p->about.type & s->type) == 0)
		return plan_error(p, s, "syntax error");
	for (size_t i = 0; i < p->nchosen; i++)
		if (!move(p, s, p->chosen[i]))
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
