/*
 * One object a sample, on a line, with all values that are reported. Numbers are not rounded, and
 * there is no header.
 */
#include "tools/pmrep/report.h"

#include <stdio.h>

#include "tools/common/jsontext.h"

static void begin(struct report *r)
{
	(void)r;
}

static void put_value(struct jsontext *j, const struct report *r, const struct metric *m,
		      const struct value *v)
{
	jsontext_begin(j, NULL, '{');
	if (m->desc.indom != PM_INDOM_NULL)
		jsontext_instance(j, v->inst, v->name);
	if (r->settings.include_labels)
		jsontext_text(j, "labels", label_of(m, v->inst));
	if (m->type == PM_TYPE_DOUBLE && m->desc.type == PM_TYPE_FLOAT &&
	    (double)(float)v->atom.d == v->atom.d) /* fewer digits give the same float */
		jsontext_float(j, "value", (float)v->atom.d);
	else
		jsontext_atom(j, "value", &v->atom, m->type);
	jsontext_end(j, '}');
}

/* A metric without values has the reason in addition to the empty array. */
static void put_metric(struct jsontext *j, const struct report *r, const struct metric *m)
{
	int sts = m->desc.indom == PM_INDOM_NULL ? m->stss[0] : m->sts;

	jsontext_begin(j, NULL, '{');
	jsontext_text(j, "name", m->name);
	jsontext_text(j, "label", m->label);
	jsontext_text(j, "unit", m->unit[0] != '\0' ? m->unit : "none");
	if (m->n_values == 0 && sts < 0)
		jsontext_failure(j, sts);
	jsontext_begin(j, "values", '[');
	for (int v = 0; v < m->n_values; v++)
		put_value(j, r, m, &m->values[v]);
	jsontext_end(j, ']');
	jsontext_end(j, '}');
}

static void sample(struct report *r)
{
	struct jsontext j = {.out = stdout};

	jsontext_begin(&j, NULL, '{');
	jsontext_time(&j, &r->metrics.stamp);
	jsontext_begin(&j, "metrics", '[');
	for (size_t i = 0; i < r->metrics.n; i++)
		put_metric(&j, r, &r->metrics.list[i]);
	jsontext_end(&j, ']');
	jsontext_end(&j, '}');
	putchar('\n');
}

const struct output json_output = {"json", begin, sample, NULL};
