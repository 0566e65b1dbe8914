/*
 * fetchgroup_value - see fetchgroup.h. A value that needs a rate or other units is taken as a
 * double, all others in the type that is wanted.
 */
#include "libpcp/fetchgroup.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "libpcp/format.h"

enum { DIGITS_MAX = 64 };

#define NSEC_PER_SEC 1e9
#define RATE_STEP    1e-9 /* the shortest time between two fetches */

static bool is_plain(int type)
{
	return (type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE) || type == PM_TYPE_STRING;
}

/* The units of a rate: divided by seconds. */
static pmUnits rate_units(pmUnits units)
{
	if (units.dimTime == 0)
		units.scaleTime = PM_TIME_SEC;
	units.dimTime--;
	return units;
}

/* A rate has the metric's time over seconds: it becomes a number. */
static int reduce_time(const pmUnits *have, pmAtomValue *rate)
{
	const pmUnits from = {.dimTime = 1, .scaleTime = have->scaleTime};
	const pmUnits to = {.dimTime = 1, .scaleTime = PM_TIME_SEC};

	return have->dimTime == 0 ? 0 : pmConvScale(PM_TYPE_DOUBLE, rate, &from, rate, &to);
}

static int init_units(struct group_value *value, const char *scale)
{
	const pmUnits *have = &value->desc.units;
	char *why;
	int r = pmParseUnitsStr(scale, &value->to, &value->mult, &why);

	if (r < 0) {
		free(why);
		return PM_ERR_CONV;
	}
	if (value->to.dimSpace != have->dimSpace || value->to.dimCount != have->dimCount)
		return PM_ERR_CONV;
	value->rate = value->to.dimTime == have->dimTime - 1;
	if (!value->rate && value->to.dimTime != have->dimTime)
		return PM_ERR_CONV;
	value->convert = true;
	value->from = value->rate ? rate_units(*have) : *have;
	return 0;
}

int group_value_init(struct group_value *value, const pmDesc *desc, const char *scale, int otype)
{
	*value = (struct group_value){.desc = *desc, .otype = otype};
	if (!is_plain(desc->type) || !is_plain(otype))
		return PM_ERR_TYPE;
	if (scale == NULL)
		value->rate = desc->sem == PM_SEM_COUNTER;
	else if (strcmp(scale, "rate") == 0)
		value->rate = true;
	else if (strcmp(scale, "instant") != 0)
		return init_units(value, scale);
	return 0;
}

const pmValue *group_value_find(const pmValueSet *vset, int inst)
{
	int low = 0, high = vset == NULL ? 0 : vset->numval;

	if (inst == (int)PM_IN_NULL)
		return high > 0 ? &vset->vlist[0] : NULL;
	while (low < high) {
		int mid = low + (high - low) / 2;

		if (vset->vlist[mid].inst == inst)
			return &vset->vlist[mid];
		if (vset->vlist[mid].inst < inst)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int group_text_of(const pmAtomValue *atom, int type, char **ret_text)
{
	char buf[DIGITS_MAX];

	switch (type) {
	case PM_TYPE_32:
		pmsprintf(buf, sizeof(buf), "%d", atom->l);
		break;
	case PM_TYPE_U32:
		pmsprintf(buf, sizeof(buf), "%u", atom->ul);
		break;
	case PM_TYPE_64:
		pmsprintf(buf, sizeof(buf), "%lld", (long long)atom->ll);
		break;
	case PM_TYPE_U64:
		pmsprintf(buf, sizeof(buf), "%llu", (unsigned long long)atom->ull);
		break;
	case PM_TYPE_FLOAT:
		cnumber_print(buf, sizeof(buf), "%.9e", (double)atom->f);
		break;
	default:
		cnumber_print(buf, sizeof(buf), "%.17e", atom->d);
		break;
	}
	*ret_text = strdup(buf);
	return *ret_text == NULL ? -ENOMEM : 0;
}

static int group_number_of(const pmValue *v, int valfmt, pmAtomValue *out, int otype)
{
	pmAtomValue text;
	int r = pmExtractValue(valfmt, v, PM_TYPE_STRING, &text, PM_TYPE_STRING);

	if (r < 0)
		return r;
	r = __pmStringValue(text.cp, out, otype);
	free(text.cp);
	return r;
}

/* A value of a type as another; strings and numbers become each other. */
static int group_take(const pmValue *v, int valfmt, int type, pmAtomValue *ret_out, int otype)
{
	pmAtomValue number;
	int r;

	if ((type == PM_TYPE_STRING) == (otype == PM_TYPE_STRING))
		return pmExtractValue(valfmt, v, type, ret_out, otype);
	if (type == PM_TYPE_STRING)
		return group_number_of(v, valfmt, ret_out, otype);
	r = pmExtractValue(valfmt, v, type, &number, type);
	return r < 0 ? r : group_text_of(&number, type, &ret_out->cp);
}

/* The double that was computed, as the type that is wanted. */
static int group_give(double d, pmAtomValue *ret_out, int otype)
{
	struct {
		unsigned int head;
		char bytes[sizeof(double)];
	} block;
	pmValue v = {.inst = (int)PM_IN_NULL, .value.pval = (pmValueBlock *)&block};

	v.value.pval->vtype = PM_TYPE_DOUBLE;
	v.value.pval->vlen = sizeof(block);
	memcpy(block.bytes, &d, sizeof(d));
	return group_take(&v, PM_VAL_DPTR, PM_TYPE_DOUBLE, ret_out, otype);
}

/* The amount that a counter of this type loses when it wraps. */
static double wrap_of(int type)
{
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		return 4294967296.0;
	return type == PM_TYPE_64 || type == PM_TYPE_U64 ? 18446744073709551616.0 : 0;
}

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	double s = (double)(to->tv_sec - from->tv_sec) +
		   (double)(to->tv_nsec - from->tv_nsec) / NSEC_PER_SEC;

	return s < RATE_STEP ? RATE_STEP : s;
}

static int to_rate(const struct __pmFetchGroup *group, const struct group_metric *metric, int inst,
		   double *value)
{
	const pmValueSet *vset = group_values(group->before, metric->slot);
	int type = metric->value.desc.type;
	const pmValue *v;
	pmAtomValue old;
	double diff;
	int r;

	if (group->before == NULL)
		return PM_ERR_AGAIN;
	v = group_value_find(vset, inst);
	if (v == NULL)
		return PM_ERR_VALUE;
	r = group_take(v, vset->valfmt, type, &old, PM_TYPE_DOUBLE);
	if (r < 0)
		return r;
	diff = *value - old.d;
	if (diff < 0 && group->wrap)
		diff += wrap_of(type);
	if (diff < 0)
		return PM_ERR_VALUE;
	*value = diff / seconds_between(&group->before->timestamp, &group->now->timestamp);
	return 0;
}

int group_value_get(const struct __pmFetchGroup *group, const struct group_metric *metric,
		    const pmValue *v, int valfmt, pmAtomValue *out)
{
	const struct group_value *value = &metric->value;
	pmAtomValue taken;
	int r;

	if (!value->rate && !value->convert) {
		r = group_take(v, valfmt, value->desc.type, &taken, value->otype);
	} else {
		r = group_take(v, valfmt, value->desc.type, &taken, PM_TYPE_DOUBLE);
		if (r == 0 && value->rate)
			r = to_rate(group, metric, v->inst, &taken.d);
		if (r == 0 && value->rate && value->convert)
			r = reduce_time(&value->desc.units, &taken);
		if (r == 0 && value->convert)
			r = pmConvScale(PM_TYPE_DOUBLE, &taken, &value->from, &taken, &value->to);
		if (r == 0)
			r = group_give(value->convert ? taken.d * value->mult : taken.d, &taken,
				       value->otype);
	}
	if (r < 0)
		return r;
	*out = taken;
	return 0;
}

/* ---- Outputs -------------------------------------------------------------------------------- */

int group_output_init(struct group_output *out, int type)
{
	out->type = type;
	if (type != PM_TYPE_STRING || out->max == 0)
		return 0;
	out->strings = calloc(out->max, sizeof(out->strings[0]));
	return out->strings == NULL ? -ENOMEM : 0;
}

static void drop_strings(struct group_output *out)
{
	for (unsigned int i = 0; out->strings != NULL && i < out->max; i++) {
		free(out->strings[i]);
		out->strings[i] = NULL;
	}
}

void group_output_done(struct group_output *out)
{
	drop_strings(out);
	free(out->strings);
	out->strings = NULL;
}

void group_output_reset(struct group_output *out)
{
	drop_strings(out);
	for (unsigned int i = 0; i < out->max; i++) {
		if (out->values != NULL && out->type == PM_TYPE_STRING)
			out->values[i].cp = NULL;
		else if (out->values != NULL)
			memset(&out->values[i], 0xff, sizeof(out->values[i]));
		if (out->statuses != NULL)
			out->statuses[i] = PM_ERR_VALUE;
		if (out->names != NULL)
			out->names[i] = NULL;
		if (out->times != NULL)
			out->times[i] = (struct timespec){0, 0};
	}
	group_output_end(out, 0, PM_ERR_VALUE);
}

void group_output_put(struct group_output *out, unsigned int i, int status,
		      const pmAtomValue *value)
{
	if (status == 0 && out->type == PM_TYPE_STRING)
		out->strings[i] = value->cp;
	if (status == 0 && out->values != NULL)
		out->values[i] = *value;
	if (out->statuses != NULL)
		out->statuses[i] = status;
}

void group_output_end(struct group_output *out, unsigned int num, int status)
{
	if (out->num != NULL)
		*out->num = num;
	if (out->status != NULL)
		*out->status = status;
}
