/* dump - pmiDump: a context as text on standard error. */
#include <stdio.h>
#include <string.h>

#include "libpcp_import/import.h"

static const char *or_undefined(const char *text)
{
	return text != NULL ? text : "<undefined>";
}

static const char *state_name(enum import_state state)
{
	static const char *const names[] = {
	    [IMPORT_START] = "start", [IMPORT_ACTIVE] = "active", [IMPORT_END] = "end"};

	return names[state];
}

static void dump_metrics(const struct import *c)
{
	char id[32];

	if (c->nmetrics == 0)
		fprintf(stderr, "  No metrics.\n");
	for (size_t i = 0; i < c->nmetrics; i++) {
		const struct import_metric *m = c->metrics[i];

		fprintf(stderr, "  metric[%zu] name=%s pmid=%s\n", i, m->name,
			pmIDStr_r(m->desc.pmid, id, sizeof(id)));
		pmPrintDesc(stderr, &m->desc);
	}
}

static void dump_indoms(const struct import *c)
{
	char id[32];

	if (c->nindoms == 0)
		fprintf(stderr, "  No indoms.\n");
	for (size_t i = 0; i < c->nindoms; i++) {
		const struct import_indom *d = c->indoms[i];

		fprintf(stderr, "  indom[%zu] indom=%s\n", i,
			pmInDomStr_r(d->indom, id, sizeof(id)));
		for (size_t j = 0; j < d->n; j++)
			fprintf(stderr, "   instance[%zu] %s (%d)\n", j, d->insts[j]->name,
				d->insts[j]->inst);
	}
}

static void dump_handles(const struct import *c)
{
	char id[32];

	if (c->nhandles == 0)
		fprintf(stderr, "  No handles.\n");
	for (size_t i = 0; i < c->nhandles; i++) {
		const struct import_handle *h = &c->handles[i];

		fprintf(stderr, "  handle[%zu] metric=%s (%s) instance=%d\n", i, h->metric->name,
			pmIDStr_r(h->metric->desc.pmid, id, sizeof(id)), h->inst);
	}
}

static void dump_texts(const struct import *c)
{
	char id[32];

	if (c->ntexts == 0)
		fprintf(stderr, "  No text.\n");
	for (size_t i = 0; i < c->ntexts; i++) {
		const struct import_text *t = &c->texts[i];

		fprintf(stderr, "  text[%zu] ", i);
		if (t->type == PM_TEXT_PMID)
			fprintf(stderr, "pmid=%s ", pmIDStr_r(t->id, id, sizeof(id)));
		else
			fprintf(stderr, "indom=%s ", pmInDomStr_r(t->id, id, sizeof(id)));
		fprintf(stderr, t->class == PM_TEXT_ONELINE ? "[%s]\n" : "\n%s\n", t->content);
	}
}

static void dump_subject(const struct import_label *l)
{
	char id[32];

	switch (l->type) {
	case PM_LABEL_CONTEXT:
		fprintf(stderr, "context ");
		break;
	case PM_LABEL_DOMAIN:
		fprintf(stderr, " domain=%u ", l->id);
		break;
	case PM_LABEL_CLUSTER:
		fprintf(stderr, " cluster=%u.%u ", pmID_domain(l->id), pmID_cluster(l->id));
		break;
	case PM_LABEL_ITEM:
		fprintf(stderr, " item=%s ", pmIDStr_r(l->id, id, sizeof(id)));
		break;
	case PM_LABEL_INDOM:
		fprintf(stderr, " indom=%s ", pmInDomStr_r(l->id, id, sizeof(id)));
		break;
	default:
		fprintf(stderr, " instance=%d of indom=%s ", l->inst,
			pmInDomStr_r(l->id, id, sizeof(id)));
		break;
	}
}

static void dump_labels(const struct import *c)
{
	if (c->nlabels == 0)
		fprintf(stderr, "  No labels.\n");
	for (size_t i = 0; i < c->nlabels; i++) {
		const struct import_label *l = &c->labels[i];

		fprintf(stderr, "  label[%zu] ", i);
		dump_subject(l);
		pmPrintLabelSets(stderr, (int)l->id, (int)l->type, l->set, 1);
	}
}

static void dump_value(const struct import *c, const struct import_metric *m,
		       const struct import_value *v)
{
	const struct import_indom *d = import_indom(c, m->desc.indom);
	const struct import_inst *i = d != NULL ? import_inst_id(d, v->inst) : NULL;
	bool word = m->desc.type == PM_TYPE_32 || m->desc.type == PM_TYPE_U32;
	pmValue value = {.inst = v->inst};

	if (word)
		value.value.lval = v->u.word;
	else
		value.value.pval = v->u.block;
	if (i != NULL)
		fprintf(stderr, "    inst [%d or \"%s\"]", v->inst, i->name);
	else
		fprintf(stderr, "   ");
	fprintf(stderr, " value ");
	pmPrintValue(stderr, word ? PM_VAL_INSITU : PM_VAL_DPTR, m->desc.type, &value, 1);
	fprintf(stderr, "\n");
}

static void dump_pending(const struct import *c)
{
	char id[32];

	if (c->npending == 0)
		fprintf(stderr, "  No pmResult.\n");
	else
		fprintf(stderr, "  pmResult numpmid: %zu\n", c->npending);
	for (size_t i = 0; i < c->npending; i++) {
		const struct import_metric *m = c->pending[i];

		fprintf(stderr, "  %s (%s): numval: %d\n", pmIDStr_r(m->desc.pmid, id, sizeof(id)),
			m->name, m->error < 0 ? m->error : (int)m->nvalues);
		for (size_t j = 0; j < m->nvalues; j++)
			dump_value(c, m, &m->values[j]);
	}
}

void pmiDump(void)
{
	const struct import *c = import_enter();
	size_t number, count = import_counts(&number);

	fprintf(stderr, "pmiDump: context %zu of %zu", number, count);
	if (c == NULL) {
		fprintf(stderr, " Error: current context is not defined.\n");
	} else {
		fprintf(stderr, " archive: %s\n", or_undefined(c->archive));
		fprintf(stderr, "  state: %d (%s) hostname: %s timezone: %s\n", (int)c->state,
			state_name(c->state), or_undefined(c->host), or_undefined(c->zone));
		dump_metrics(c);
		dump_indoms(c);
		dump_handles(c);
		dump_texts(c);
		dump_labels(c);
		dump_pending(c);
	}
	import_unlock();
}
