/*
 * summary - prints the changes of a plan (-v), and a record that cannot be changed.
 */
#include <stdio.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/archive/recording.h"
#include "tools/pmlogrewrite/plan.h"

enum { TEXT_ROOM = 64, HOUR_SEC = 3600, MINUTE_SEC = 60 };

static void print_global(const struct plan *p)
{
	const struct log_label *old = p->in->label;
	long sec = labs((long)p->delta.tv_sec), nsec = labs(p->delta.tv_nsec);
	bool back = p->delta.tv_sec < 0 || p->delta.tv_nsec < 0;

	if (p->global & PLAN_HOSTNAME)
		printf("Hostname:\t%s -> %s\n", old->host, p->label.host);
	if (p->global & PLAN_TIMEZONE)
		printf("Timezone:\t%s -> %s\n", old->timezone, p->label.timezone);
	if (p->global & PLAN_ZONEINFO)
		printf("Zoneinfo:\t%s -> %s\n", old->zoneinfo, p->label.zoneinfo);
	if (p->global & PLAN_FEATURES)
		printf("Features:\t%d -> %d\n", (int)old->features, (int)p->label.features);
	if (p->global & PLAN_TIME)
		printf("Delta:\t\t-> %s%02ld:%02ld:%02ld.%09ld\n", back ? "-" : "", sec / HOUR_SEC,
		       sec / MINUTE_SEC % MINUTE_SEC, sec % MINUTE_SEC, nsec);
}

static void print_domain(const struct plan_domain *d)
{
	char text[TEXT_ROOM];

	if (!d->moved && !d->changed)
		return;
	printf("\nInstance Domain: %s\n", pmInDomStr_r(d->old, text, sizeof(text)));
	if (d->moved)
		printf("pmInDom:\t-> %s%s\n", d->duplicate ? "DUPLICATE " : "",
		       pmInDomStr_r(d->now, text, sizeof(text)));
	for (size_t i = 0; i < d->n; i++) {
		const struct plan_inst *inst = &d->insts[i];
		const struct wire_str *name = &inst->old.name;

		if (!inst->deleted && !inst->renumbered && inst->name == NULL)
			continue;
		printf("Instance:\t[%d] \"%.*s\" -> ", inst->old.inst, (int)name->len, name->s);
		if (inst->deleted)
			printf("DELETE\n");
		else if (inst->name != NULL)
			printf("[%d] \"%s\"\n", inst->id, inst->name);
		else
			printf("[%d] \"%.*s\"\n", inst->id, (int)name->len, name->s);
	}
}

static const char *const picks[] = {
    [PICK_FIRST] = "first value",
    [PICK_LAST] = "last value",
    [PICK_MIN] = "smallest value",
    [PICK_MAX] = "largest value",
    [PICK_SUM] = "sum value (output instance 0)",
    [PICK_AVG] = "average value (output instance 0)",
};

static void print_pick(const struct plan_metric *m)
{
	if ((m->flags & PLAN_OUTPUT) == 0)
		return;
	if (m->old->desc.indom == PM_INDOM_NULL)
		printf("Output:\t\tfirst and only value (output instance %d)\n", m->inst);
	else if (m->pick == PICK_INST)
		printf("Output:\t\tvalue for instance %d\n", m->inst);
	else if (m->pick == PICK_INAME)
		printf("Output:\t\tvalue for instance \"%s\"\n", m->inst_name);
	else
		printf("Output:\t\t%s\n", picks[m->pick]);
}

static void summary_print_metric(const struct plan_metric *m)
{
	const pmDesc *old = &m->old->desc;
	char one[TEXT_ROOM], other[TEXT_ROOM];

	printf("\nMetric: %s (%s)\n", plan_metric_name(m), pmIDStr_r(old->pmid, one, sizeof(one)));
	if (m->flags & PLAN_PMID)
		printf("pmID:\t\t%s -> %s\n", pmIDStr_r(old->pmid, one, sizeof(one)),
		       pmIDStr_r(m->now.pmid, other, sizeof(other)));
	if (m->flags & PLAN_NAME)
		printf("Name:\t\t%s -> %s\n", m->old_name, m->new_name);
	if (m->flags & PLAN_TYPE)
		printf("Type:\t\t%s -> %s\n", pmTypeStr_r(old->type, one, sizeof(one)),
		       pmTypeStr_r(m->now.type, other, sizeof(other)));
	if (m->now.indom != old->indom)
		printf("InDom:\t\t%s -> %s\n", plan_indom_text(old->indom, one, sizeof(one)),
		       plan_indom_text(m->now.indom, other, sizeof(other)));
	print_pick(m);
	if (m->flags & PLAN_SEM)
		printf("Semantics:\t%s -> %s\n", pmSemStr_r(old->sem, one, sizeof(one)),
		       pmSemStr_r(m->now.sem, other, sizeof(other)));
	if (m->flags & PLAN_UNITS)
		printf("Units:\t\t%s -> %s%s\n", pmUnitsStr_r(&old->units, one, sizeof(one)),
		       pmUnitsStr_r(&m->now.units, other, sizeof(other)),
		       m->flags & PLAN_RESCALE ? " (rescale)" : "");
	if (m->flags & PLAN_DELETE)
		printf("DELETE\n");
	if (m->flags & PLAN_INSTS)
		printf("Inst Changes:\t<- InDom %s\n",
		       pmInDomStr_r(m->map != NULL && m->map->changed ? m->map->old : old->indom,
				    one, sizeof(one)));
}

static void summary_print_text(const struct plan_text *t)
{
	bool metric = (t->type & PM_TEXT_PMID) != 0;
	char one[TEXT_ROOM], other[TEXT_ROOM];

	if (!t->ruled && !t->follows)
		return;
	if (metric) {
		pmIDStr_r(t->ident, one, sizeof(one));
		pmIDStr_r(t->now, other, sizeof(other));
	} else {
		pmInDomStr_r(t->ident, one, sizeof(one));
		pmInDomStr_r(t->now, other, sizeof(other));
	}
	printf("\nHelp Text: %s %s (%s)\n", t->type & PM_TEXT_ONELINE ? "One Line" : "full",
	       metric ? "pmID" : "pmInDom", one);
	if (t->deleted)
		printf("DELETE\n");
	else if (t->now != t->ident)
		printf("ID:\t\t%s -> %s\n", one, other);
	if (t->replaced && !t->deleted)
		printf("Text:\t\t\"%s\"\n\t\t->\n\t\t\"%s\"\n", t->text, t->now_text);
}

static void print_label_head(const struct plan_label *l)
{
	char ident[PLAN_IDENT_ROOM];

	printf("\nLabel: %s", plan_label_ident(l->type, l->ident, ident, sizeof(ident)));
	if (l->type == PM_LABEL_INSTANCES && l->any_inst)
		printf(", Instances: ALL");
	else if (l->type == PM_LABEL_INSTANCES)
		printf(", Instance: %d", l->inst);
	if (l->name != NULL)
		printf(", Label: \"%s\"", l->name);
	if (l->value != NULL)
		printf(", Value: %s", l->value);
	putchar('\n');
}

static void print_new(const struct plan_label *l)
{
	char json[PM_MAXLABELJSONLEN];
	pmLabelSet *set = NULL;

	printf("NEW:\n");
	if (l->type == PM_LABEL_INSTANCES && l->any_inst) {
		printf("    \"%s\": %s\n", l->new_name, l->new_value);
		return;
	}
	pmsprintf(json, sizeof(json), "{\"%s\":%s}", l->new_name, l->new_value);
	if (__pmParseLabelSet(json, (int)strlen(json), l->type, &set) <= 0 || set == NULL)
		return;
	set->inst = l->type == PM_LABEL_INSTANCES ? (unsigned int)l->inst : PM_IN_NULL;
	pmPrintLabelSets(stdout, (int)l->ident, l->type, set, 1);
	pmFreeLabelSets(set, 1);
}

static void print_label(const struct plan_label *l)
{
	char one[PLAN_IDENT_ROOM], other[PLAN_IDENT_ROOM];

	print_label_head(l);
	switch (l->kind) {
	case RULE_LABEL_DELETE:
		printf("DELETE\n");
		break;
	case RULE_LABEL_NEW:
		print_new(l);
		break;
	case RULE_LABEL_NAME:
		printf("Label:\t\t%s%s%s -> \"%s\"\n", l->name != NULL ? "\"" : "",
		       l->name != NULL ? l->name : "ALL", l->name != NULL ? "\"" : "", l->new_name);
		break;
	case RULE_LABEL_VALUE:
		printf("Value:\t\t%s -> %s\n", l->value != NULL ? l->value : "ALL", l->new_value);
		break;
	case RULE_LABEL_INSTANCE:
		if (l->any_inst)
			printf("Instance:\tALL -> %d\n", l->new_inst);
		else
			printf("Instance:\t%d -> %d\n", l->inst, l->new_inst);
		break;
	default:
		printf("ID:\t\t%s -> %s\n", plan_label_ident(l->type, l->ident, one, sizeof(one)),
		       plan_label_ident(l->type, l->now, other, sizeof(other)));
		break;
	}
}

/* Labels that follow a metric or a domain. */
static void print_follower(const struct plan *p, const struct plan_subject *s)
{
	const struct plan_metric *m = s->type == PM_LABEL_ITEM ? plan_metric(p, s->ident) : NULL;
	const struct plan_domain *d = NULL;
	char one[PLAN_IDENT_ROOM], other[PLAN_IDENT_ROOM];
	uint32_t now = s->ident;

	if (s->type == PM_LABEL_INDOM || s->type == PM_LABEL_INSTANCES)
		d = plan_domain(p, s->ident);
	if (m != NULL && (m->flags & PLAN_DELETE) == 0)
		now = m->now.pmid;
	else if (d != NULL && !d->dropped)
		now = d->now;
	if (now == s->ident)
		return;
	printf("\nLabel: %s%s\n", plan_label_ident(s->type, s->ident, one, sizeof(one)),
	       s->type == PM_LABEL_INSTANCES ? ", Instances: ALL" : "");
	printf("ID:\t\t%s -> %s\n", one, plan_label_ident(s->type, now, other, sizeof(other)));
}

void plan_summary(const struct plan *p)
{
	printf("PCP Archive Log Rewrite Specifications Summary\n");
	if (!plan_changes(p)) {
		printf("No changes\n");
		return;
	}
	print_global(p);
	for (size_t i = 0; i < p->ndomains; i++)
		print_domain(&p->domains[i]);
	for (size_t i = 0; i < p->nmetrics; i++)
		if (p->metrics[i].flags != 0)
			summary_print_metric(&p->metrics[i]);
	for (size_t i = 0; i < p->ntexts; i++)
		summary_print_text(&p->texts[i]);
	for (size_t i = 0; i < p->nsubjects; i++)
		print_follower(p, &p->subjects[i]);
	for (size_t i = 0; i < p->nlabels; i++)
		print_label(&p->labels[i]);
}

/*
 * A record, in the form of 6.0.3
 */

/* The type of a value in the archive, or what the value itself shows. */
static int shown_type(const pmValueSet *set, const struct plan_metric *m, const pmValue *v)
{
	if (m != NULL)
		return m->old->desc.type;
	return set->valfmt == PM_VAL_INSITU ? PM_TYPE_UNKNOWN : v->value.pval->vtype;
}

static void print_record_set(const pmValueSet *set, const struct plan_metric *m)
{
	char text[PM_MAXERRMSGLEN];

	fprintf(stderr, "  %s (", pmIDStr_r(set->pmid, text, sizeof(text)));
	if (m == NULL || m->old->nnames == 0)
		fprintf(stderr, "<noname>");
	for (size_t i = 0; m != NULL && i < m->old->nnames; i++)
		fprintf(stderr, "%s%s", i > 0 ? ", " : "", m->old->names[i]);
	if (set->numval <= 0) {
		fprintf(stderr, "): %s\n",
			set->numval == 0 ? "No values returned!"
					 : pmErrStr_r(set->numval, text, sizeof(text)));
		return;
	}
	fprintf(stderr, "): numval: %d valfmt: %d vlist[]:\n", set->numval, set->valfmt);
	for (int i = 0; i < set->numval; i++) {
		const pmValue *v = &set->vlist[i];

		if (set->numval > 1 || v->inst != (int)PM_IN_NULL)
			fprintf(stderr, "    inst [%d or ???]", v->inst);
		else
			fprintf(stderr, "  ");
		fprintf(stderr, " value ");
		pmPrintValue(stderr, set->valfmt, shown_type(set, m, v), v, 1);
		putc('\n', stderr);
	}
}

void plan_print_record(const struct plan *plan, const pmHighResResult *result)
{
	fprintf(stderr, "__pmResult dump from %p timestamp: %lld.%09ld ", (const void *)result,
		(long long)result->timestamp.tv_sec, result->timestamp.tv_nsec);
	pmPrintHighResStamp(stderr, &result->timestamp);
	fprintf(stderr, " numpmid: %d\n", result->numpmid);
	for (int i = 0; i < result->numpmid; i++)
		print_record_set(result->vset[i], plan_metric(plan, result->vset[i]->pmid));
}
