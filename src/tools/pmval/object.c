/*
 * object - a sample as one JSON object a line.
 *
 * The instances are those of the sample, not columns: an instance without a value is left out. A
 * rate that cannot be computed is null.
 */
#include "tools/pmval/pmval.h"

#include <stdio.h>

#include "tools/common/jsontext.h"

static void object_begin(struct jsontext *j, const struct view *v, const struct timespec *when)
{
	*j = (struct jsontext){.out = stdout};
	jsontext_begin(j, NULL, '{');
	jsontext_time(j, when);
	jsontext_text(j, "metric", v->target->name);
}

static void object_end(struct jsontext *j)
{
	jsontext_end(j, '}');
	putchar('\n');
}

void object_print_none(const struct view *v, const struct sample *now)
{
	struct jsontext j;

	object_begin(&j, v, &now->stamp);
	jsontext_begin(&j, "values", '[');
	jsontext_end(&j, ']');
	object_end(&j);
}

void object_print_mark(const struct view *v, const struct timespec *when)
{
	struct jsontext j;

	object_begin(&j, v, when);
	jsontext_bool(&j, "mark", true);
	object_end(&j);
}

/* Returns the error of a value that is not of the metric's type. */
static int put_rate(struct jsontext *j, const struct view *v, const struct sample *before,
		    const struct sample *now, int i)
{
	const pmValue *b = &now->values->vlist[i];
	bool singular = v->target->desc.indom == PM_INDOM_NULL;
	const pmValue *a =
	    singular ? &before->values->vlist[0] : columns_find_value(before->values, b->inst, i);
	double rate = -1;
	int sts = a != NULL ? columns_rate(v, before, a, now, b, &rate) : 0;

	if (sts < 0)
		jsontext_error(j, "value", sts);
	else if (rate < 0) /* there is no earlier value, or the counter went backward */
		jsontext_null(j, "value");
	else
		jsontext_double(j, "value", rate);
	return sts;
}

static int put_sample_value(struct jsontext *j, const struct view *v, const struct sample *before,
			    const struct sample *now, int i)
{
	const struct target *t = v->target;
	int inst = now->values->vlist[i].inst, sts = 0;

	if (t->desc.indom != PM_INDOM_NULL && !target_wants(t, inst))
		return 0;
	jsontext_begin(j, NULL, '{');
	if (t->desc.indom != PM_INDOM_NULL)
		jsontext_instance(j, inst, columns_instance(inst));
	if (before != NULL)
		sts = put_rate(j, v, before, now, i);
	else
		jsontext_value(j, "value", now->values, i, t->desc.type, true);
	jsontext_end(j, '}');
	return sts;
}

void object_print(const struct view *v, const struct sample *before, const struct sample *now)
{
	struct jsontext j;
	int sts, failed = 0;

	if (now->values->numval > 0)
		columns_refresh(v, now);
	object_begin(&j, v, &now->stamp);
	if (now->values->numval < 0) {
		jsontext_failure(&j, now->values->numval);
		object_end(&j);
		return;
	}
	jsontext_begin(&j, "values", '[');
	for (int i = 0; i < now->values->numval; i++) {
		sts = put_sample_value(&j, v, before, now, i);
		if (sts < 0)
			failed = sts;
	}
	jsontext_end(&j, ']');
	object_end(&j);
	if (failed < 0) /* as for columns: the metric has values that cannot be converted */
		columns_complain("printrate", failed);
}
