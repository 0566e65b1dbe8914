/*
 * plan_note - the clauses of rules for help texts and for labels.
 *
 * A rule for labels becomes one plan_label for each of its subjects; labels.c applies them to the
 * label sets.
 */
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"

/*
 * plan_text - the clauses of rules for help texts.
 */

enum { LEVELS = PM_TEXT_ONELINE | PM_TEXT_HELP, TARGETS = PM_TEXT_PMID | PM_TEXT_INDOM };

static bool is_text_meant(const struct plan_text *t, const struct rule_step *s,
			  const struct rule_id *id)
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
		if (is_text_meant(&p->texts[i], s, &id))
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
 * plan_label - the clauses of rules for labels.
 */

static bool is_meant(const struct rule_step *s, const struct rule_id *id, uint32_t ident)
{
	struct rule_id cluster = *id;

	cluster.any_item = true;
	switch (s->type) {
	case PM_LABEL_CONTEXT:
		return true;
	case PM_LABEL_DOMAIN:
		return ident == (uint32_t)id->domain;
	case PM_LABEL_CLUSTER:
		return plan_is_pmid(&cluster, ident);
	case PM_LABEL_ITEM:
		return plan_is_pmid(id, ident);
	default:
		return plan_is_indom(id, ident);
	}
}

static void choose_subjects(struct plan *p, const struct rule_step *s, const struct rule_id *id)
{
	for (size_t i = 0; i < p->nsubjects; i++)
		if (p->subjects[i].type == s->type && is_meant(s, id, p->subjects[i].ident))
			plan_choose(p, &p->subjects[i]);
}

/* The number of an instance that the rule names; false if there is no such name. */
static bool find_inst(const struct plan *p, pmInDom indom, const char *name, int *ret_inst)
{
	const struct archive_indom *all = NULL;
	int inst;

	archive_meta_indom_union(p->in->meta, indom, &all);
	inst = all != NULL ? archive_indom_lookup(all, name) : -1;
	if (inst < 0)
		return false;
	*ret_inst = inst;
	return true;
}

/* Keeps the subjects that have the named instance. */
static void drop_without_inst(struct plan *p, const struct rule_step *s)
{
	size_t n = 0;
	int inst;

	for (size_t i = 0; i < p->nchosen; i++) {
		const struct plan_subject *subject = p->chosen[i];
		char text[PLAN_IDENT_ROOM];

		if (find_inst(p, subject->ident, s->inst, &inst))
			p->chosen[n++] = p->chosen[i];
		else
			plan_warn(p, s, "Instance domain %s: no instance \"%s\" found",
				  pmInDomStr_r(subject->ident, text, sizeof(text)), s->inst);
	}
	p->nchosen = n;
}

bool plan_label(struct plan *p, const struct rule_step *s)
{
	struct rule_id id;

	p->nchosen = 0;
	p->about = *s;
	p->about_name = NULL;
	if (!plan_find_name(p, s, &id)) {
		p->about.id.domain = -1; /* matches nothing */
		return true;
	}
	p->about.id = id;
	p->about.id.name = NULL;
	choose_subjects(p, s, &id);
	if (s->inst != NULL)
		drop_without_inst(p, s);
	return true;
}

static struct plan_label *plan_label_add(struct plan *p, const struct rule_step *s, uint32_t ident)
{
	struct plan_label *list = reallocarray(p->labels, p->nlabels + 1, sizeof(*list)), *l;
	const struct rule_step *about = &p->about;

	if (list == NULL)
		pmNoMem("labels", sizeof(*list), PM_FATAL_ERR);
	p->labels = list;
	l = &list[p->nlabels++];
	*l = (struct plan_label){
	    .kind = s->kind,
	    .type = about->type,
	    .ident = ident,
	    .any_inst = about->inst == NULL && (about->flags & RULE_BY_NUMBER) == 0,
	    .inst = about->old,
	    .name = about->text,
	    .value = about->value,
	};
	if (about->inst != NULL)
		find_inst(p, ident, about->inst, &l->inst);
	return l;
}

/* A kind of clause may be given once, and no other with a deletion. New labels may be several. */
static bool is_first(struct plan *p, const struct rule_step *s)
{
	const unsigned int gone = 1u << (RULE_LABEL_DELETE - RULE_LABEL);
	unsigned int kind = 1u << (s->kind - RULE_LABEL), before = p->about.features;

	if (before & kind)
		return plan_error(p, s, "Duplicate clause for labels");
	if ((before & gone) || (before != 0 && kind == gone))
		return plan_error(p, s, "Conflicting delete and other clauses for labels");
	p->about.features |= kind;
	return true;
}

bool plan_label_change(struct plan *p, const struct rule_step *s)
{
	if (!is_first(p, s))
		return false;
	if (s->kind == RULE_LABEL_INSTANCE && p->about.type != PM_LABEL_INSTANCES)
		return plan_error(p, s, "syntax error");
	for (size_t i = 0; i < p->nchosen; i++) {
		struct plan_label *l =
		    plan_label_add(p, s, ((struct plan_subject *)p->chosen[i])->ident);

		l->new_name = s->text;
		l->new_value = s->value;
		l->new_inst = s->now;
	}
	return true;
}

bool plan_label_move(struct plan *p, const struct rule_step *s)
{
	if (s->type != p->about.type)
		return plan_error(p, s, "syntax error");
	if (!is_first(p, s))
		return false;
	for (size_t i = 0; i < p->nchosen; i++) {
		uint32_t ident = ((struct plan_subject *)p->chosen[i])->ident, now;
		char text[PLAN_IDENT_ROOM];

		if (s->type == PM_LABEL_DOMAIN)
			now = (uint32_t)s->id.domain;
		else if (s->type == PM_LABEL_CLUSTER || s->type == PM_LABEL_ITEM)
			now = plan_new_pmid(&s->id, ident);
		else
			now = plan_new_indom(&s->id, ident);
		if (now == ident)
			plan_warn(p, s, "Label: %s: No change",
				  plan_label_ident(s->type, ident, text, sizeof(text)));
		else
			plan_label_add(p, s, ident)->now = now;
	}
	return true;
}

/* The subjects that a rule may give labels to although they have none yet. */
static size_t new_subjects(const struct plan *p, uint32_t *idents, size_t room)
{
	const struct rule_step *about = &p->about;
	size_t n = 0;

	if (about->type == PM_LABEL_CONTEXT) {
		idents[n++] = PM_ID_NULL;
		return n;
	}
	if (about->type == PM_LABEL_INDOM || about->type == PM_LABEL_INSTANCES) {
		for (size_t i = 0; i < p->ndomains && n < room; i++)
			if (plan_is_indom(&about->id, p->domains[i].old))
				idents[n++] = p->domains[i].old;
		return n;
	}
	for (size_t i = 0; i < p->nmetrics && n < room; i++) {
		pmID pmid = p->metrics[i].old->desc.pmid;
		uint32_t ident = pmid;
		bool known = false;

		if (about->type == PM_LABEL_DOMAIN)
			ident = pmID_domain(pmid);
		else if (about->type == PM_LABEL_CLUSTER)
			ident = pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0);
		for (size_t j = 0; j < n && !known; j++)
			known = idents[j] == ident;
		if (!known && is_meant(about, &about->id, ident))
			idents[n++] = ident;
	}
	return n;
}

static const char *level_word(int type)
{
	switch (type) {
	case PM_LABEL_CONTEXT:
		return "context";
	case PM_LABEL_DOMAIN:
		return "domain";
	case PM_LABEL_CLUSTER:
		return "cluster";
	case PM_LABEL_ITEM:
		return "metric";
	case PM_LABEL_INDOM:
		return "indom";
	default:
		return "instances";
	}
}

bool plan_label_new(struct plan *p, const struct rule_step *s)
{
	size_t room = p->nmetrics + p->ndomains + 1, n;
	AUTO_FREE uint32_t *idents = calloc(room, sizeof(*idents));
	pmLabelSet *set = NULL;
	char json[PM_MAXLABELJSONLEN], why[PM_MAXERRMSGLEN];
	int sts;

	if (idents == NULL)
		pmNoMem("labels", room * sizeof(*idents), PM_FATAL_ERR);
	if (p->about.text != NULL || p->about.value != NULL)
		plan_warn(p, s,
			  "The target label name and value must both not be specified for a NEW "
			  "label and will be ignored");
	pmsprintf(json, sizeof(json), "{\"%s\":%s}", s->text, s->value);
	sts = __pmParseLabelSet(json, (int)strlen(json), p->about.type, &set);
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	if (sts < 0)
		return plan_error(p, s, "Unable to add new %s label %s: %s",
				  level_word(p->about.type), json,
				  pmErrStr_r(sts, why, sizeof(why)));
	n = p->about.id.domain < 0 ? 0 : new_subjects(p, idents, room);
	if (n == 0 && p->about.id.domain >= 0)
		plan_warn(p, s, "No matching %s for new label %s", level_word(p->about.type), json);
	for (size_t i = 0; i < n; i++) {
		struct plan_label *l = plan_label_add(p, s, idents[i]);

		l->name = l->value = NULL;
		l->new_name = s->text;
		l->new_value = s->value;
	}
	return true;
}

const char *plan_label_ident(int type, uint32_t ident, char *buf, int len)
{
	char text[PLAN_IDENT_ROOM];

	if (type == PM_LABEL_CONTEXT)
		pmsprintf(buf, (size_t)len, "Context");
	else if (type == PM_LABEL_DOMAIN)
		pmsprintf(buf, (size_t)len, "Domain %u", ident);
	else if (type == PM_LABEL_CLUSTER)
		pmsprintf(buf, (size_t)len, "Cluster %u.%u", pmID_domain(ident),
			  pmID_cluster(ident));
	else if (type == PM_LABEL_ITEM)
		pmsprintf(buf, (size_t)len, "PMID %s", pmIDStr_r(ident, text, sizeof(text)));
	else
		pmsprintf(buf, (size_t)len, "InDom %s", pmInDomStr_r(ident, text, sizeof(text)));
	return buf;
}
