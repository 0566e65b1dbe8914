/*
 * plan_text - the clauses of rules for help texts.
 */
#include <string.h>

#include "tools/pmlogrewrite/plan_inner.h"

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
			return plan_error(
			    p, s, "Conflicting delete and other clauses for help text");
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
