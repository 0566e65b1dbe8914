/*
 * fetchgroup_item - the kinds of items: one value, the values of an instance domain, the values of
 * a field in event records, the time.
 *
 * An item is checked once, when it is added. A discrete metric without values in a result keeps the
 * values that it had.
 */
#include <errno.h>
#include <stdlib.h>

#include "libpcp/fetchgroup.h"

enum { NSEC_PER_USEC = 1000 };

struct value_item {
	struct group_item item;
	struct group_metric metric;
	struct group_value field; /* of events */
	pmID field_pmid;
	struct group_output out;
};

struct stamp_item {
	struct group_item item;
	struct timeval *tv;
	struct timespec *ts;
};

static struct value_item *value_item(struct group_item *item)
{
	return (struct value_item *)item;
}

static void value_reset(struct group_item *item)
{
	group_output_reset(&value_item(item)->out);
}

static void value_free(struct group_item *item)
{
	group_output_done(&value_item(item)->out);
	free(item);
}

/* The newest values, with the outputs reset for them. NULL: the outputs keep their values. */
static const pmValueSet *item_begin(struct value_item *v, pmFG group)
{
	const pmValueSet *vset = group_values(group->now, v->metric.slot);

	if (v->metric.value.desc.sem == PM_SEM_DISCRETE && vset->numval == 0)
		return NULL;
	group_output_reset(&v->out);
	return vset;
}

/* ---- One value ------------------------------------------------------------------------------ */

static void fill_value(struct group_item *item, pmFG group)
{
	struct value_item *v = value_item(item);
	const pmValueSet *vset = item_begin(v, group);
	const pmValue *found;
	pmAtomValue value;
	int r;

	if (vset == NULL)
		return;
	found = group_value_find(vset, v->metric.inst);
	if (found != NULL)
		r = group_value_get(group, &v->metric, found, vset->valfmt, &value);
	else
		r = vset->numval < 0 ? vset->numval : PM_ERR_VALUE;
	group_output_put(&v->out, 0, r, &value);
	group_output_end(&v->out, 1, r);
}

static const struct group_item_kind single_kind = {value_reset, fill_value, value_free};

/* ---- The values of an instance domain ------------------------------------------------------- */

static void fill_indom(struct group_item *item, pmFG group)
{
	struct value_item *v = value_item(item);
	const pmValueSet *vset = item_begin(v, group);
	struct group_output *out = &v->out;
	pmAtomValue value;

	if (vset == NULL)
		return;
	if (vset->numval < 0) {
		group_output_end(out, 0, vset->numval);
		return;
	}
	for (unsigned int i = 0; i < (unsigned int)vset->numval && i < out->max; i++) {
		const pmValue *found = &vset->vlist[i];

		group_output_put(out, i,
				 group_value_get(group, &v->metric, found, vset->valfmt, &value),
				 &value);
		if (out->codes != NULL)
			out->codes[i] = found->inst;
		if (out->names != NULL)
			out->names[i] =
			    group_inst_name(group, v->metric.value.desc.indom, found->inst);
	}
	if ((unsigned int)vset->numval > out->max)
		group_output_end(out, 0, PM_ERR_TOOBIG);
	else
		group_output_end(out, (unsigned int)vset->numval, 0);
}

static const struct group_item_kind indom_kind = {value_reset, fill_indom, value_free};

/* ---- The values of a field in event records ------------------------------------------------- */

/* The values of the field in one record, after the num that there are. How many there are now. */
static unsigned int fill_record(struct value_item *v, pmFG group, const pmHighResResult *record,
				unsigned int num)
{
	const struct group_metric field = {.inst = (int)PM_IN_NULL, .value = v->field};
	pmAtomValue value;

	for (int i = 0; i < record->numpmid; i++) {
		const pmValueSet *vset = record->vset[i];

		if (vset->pmid != v->field_pmid || vset->numval < 1)
			continue;
		if (num < v->out.max) {
			int r =
			    group_value_get(group, &field, &vset->vlist[0], vset->valfmt, &value);

			group_output_put(&v->out, num, r, &value);
			if (r == 0 && v->out.times != NULL)
				v->out.times[num] = record->timestamp;
		}
		num++;
	}
	return num;
}

/* Records of either resolution have one layout, but for the unit of the stamp's fraction. */
static void stamp_to_highres(pmHighResResult *record)
{
	struct timeval tv = ((pmResult *)record)->timestamp;

	record->timestamp.tv_sec = tv.tv_sec;
	record->timestamp.tv_nsec = tv.tv_usec * NSEC_PER_USEC;
}

static int unpack(const struct value_item *v, pmValueSet *vset, int index,
		  pmHighResResult ***ret_records)
{
	pmResult **records = NULL;
	int n;

	if (v->metric.value.desc.type == PM_TYPE_HIGHRES_EVENT)
		return pmUnpackHighResEventRecords(vset, index, ret_records);
	n = pmUnpackEventRecords(vset, index, &records);
	*ret_records = (pmHighResResult **)records;
	for (int i = 0; i < n; i++)
		stamp_to_highres((*ret_records)[i]);
	return n;
}

static void fill_event(struct group_item *item, pmFG group)
{
	struct value_item *v = value_item(item);
	pmValueSet *vset = (pmValueSet *)item_begin(v, group);
	pmHighResResult **records = NULL;
	const pmValue *found;
	unsigned int num = 0;
	int n;

	if (vset == NULL)
		return;
	found = group_value_find(vset, v->metric.inst);
	if (found == NULL) {
		group_output_end(&v->out, 0, vset->numval < 0 ? vset->numval : PM_ERR_VALUE);
		return;
	}
	n = unpack(v, vset, (int)(found - vset->vlist), &records);
	for (int i = 0; i < n; i++)
		num = fill_record(v, group, records[i], num);
	if (n > 0)
		pmFreeHighResEventResult(records);
	if (n >= 0 && num > v->out.max)
		n = PM_ERR_TOOBIG;
	group_output_end(&v->out, n < 0 ? 0 : num, n < 0 ? n : 0);
}

static const struct group_item_kind event_kind = {value_reset, fill_event, value_free};

/* ---- The time ------------------------------------------------------------------------------- */

static void put_stamp(struct group_item *item, struct timespec at)
{
	const struct stamp_item *stamp = (const struct stamp_item *)item;

	if (stamp->ts != NULL)
		*stamp->ts = at;
	if (stamp->tv != NULL)
		*stamp->tv = (struct timeval){at.tv_sec, at.tv_nsec / NSEC_PER_USEC};
}

static void reset_stamp(struct group_item *item)
{
	put_stamp(item, (struct timespec){0, 0});
}

static void fill_stamp(struct group_item *item, pmFG group)
{
	put_stamp(item, group->now->timestamp);
}

static void free_stamp(struct group_item *item)
{
	free(item);
}

static const struct group_item_kind stamp_kind = {reset_stamp, fill_stamp, free_stamp};

static int extend_stamp(pmFG group, struct timeval *tv, struct timespec *ts)
{
	struct stamp_item *stamp;

	if (group == NULL)
		return -EINVAL;
	stamp = calloc(1, sizeof(*stamp));
	if (stamp == NULL)
		return -ENOMEM;
	stamp->item.kind = &stamp_kind;
	stamp->tv = tv;
	stamp->ts = ts;
	group_add(group, &stamp->item);
	return 0;
}

int pmExtendFetchGroup_timeval(pmFG group, struct timeval *stamp)
{
	return extend_stamp(group, stamp, NULL);
}

int pmExtendFetchGroup_timestamp(pmFG group, struct timeval *stamp)
{
	return extend_stamp(group, stamp, NULL);
}

int pmExtendFetchGroup_timespec(pmFG group, struct timespec *stamp)
{
	return extend_stamp(group, NULL, stamp);
}

/* ---- Asking for metrics --------------------------------------------------------------------- */

/* Begins every call: its context is the group's. */
static int begin_extend(pmFG group, const char *metric)
{
	return group == NULL || metric == NULL ? -EINVAL : pmUseContext(group->context);
}

static int item_lookup(const char *name, pmID *ret_pmid, pmDesc *ret_desc)
{
	int r = pmLookupName(1, &name, ret_pmid);

	return r < 0 ? r : pmLookupDesc(*ret_pmid, ret_desc);
}

/*
 * The instance of a name at the end of an archive: the records of the start may be older than the
 * first ones of its instance domain. The context is not moved. pmLookupInDom's result; for sources
 * that have no end r, the error of the look-up before.
 */
static int lookup_inst_at_end(int context, pmInDom indom, const char *name, int r)
{
	const struct timespec step = {.tv_sec = 1};
	struct timespec end;
	int copy;

	if (pmGetHighResArchiveEnd(&end) < 0)
		return r;
	copy = pmDupContext(); /* it is the current one now */
	if (copy < 0)
		return copy;
	r = pmSetModeHighRes(PM_MODE_BACK, &end, &step);
	if (r >= 0)
		r = pmLookupInDom(indom, name);
	pmDestroyContext(copy);
	pmUseContext(context);
	return r;
}

/* The instance of a name. A metric without instances takes no name, one with instances needs it. */
static int lookup_inst(int context, const pmDesc *desc, const char *name, int *ret_inst)
{
	int r;

	if ((name == NULL) != (desc->indom == PM_INDOM_NULL))
		return PM_ERR_INDOM;
	r = name == NULL ? (int)PM_IN_NULL : pmLookupInDom(desc->indom, name);
	/* At its start an archive may not have the instance yet. */
	if (name != NULL && (r == PM_ERR_INST_LOG || r == PM_ERR_INDOM_LOG))
		r = pmLookupInDomArchive(desc->indom, name);
	if (name != NULL && r < 0)
		r = lookup_inst_at_end(context, desc->indom, name, r);
	if (name != NULL && r < 0)
		return r;
	*ret_inst = r;
	return 0;
}

/* Adds a copy of a checked item to the group. */
static int extend(pmFG group, const struct value_item *like, pmID pmid, int type)
{
	struct value_item *v = malloc(sizeof(*v));
	int r;

	if (v == NULL)
		return -ENOMEM;
	*v = *like;
	r = group_output_init(&v->out, type);
	if (r == 0)
		r = group_slot(group, pmid, &v->metric.slot);
	if (r < 0) {
		value_free(&v->item);
		return r;
	}
	group_add(group, &v->item);
	return 0;
}

int pmExtendFetchGroup_item(pmFG group, const char *metric, const char *instance, const char *scale,
			    pmAtomValue *value, int otype, int *status)
{
	struct value_item v = {
	    .item = {.kind = &single_kind},
	    .out = {.values = value, .max = 1, .status = status},
	};
	pmDesc desc;
	pmID pmid;
	int r = begin_extend(group, metric);

	if (r == 0)
		r = item_lookup(metric, &pmid, &desc);
	if (r == 0)
		r = lookup_inst(group->context, &desc, instance, &v.metric.inst);
	if (r == 0)
		r = group_value_init(&v.metric.value, &desc, scale, otype);
	return r < 0 ? r : extend(group, &v, pmid, otype);
}

int pmExtendFetchGroup_indom(pmFG group, const char *metric, const char *scale, int codes[],
			     char *names[], pmAtomValue values[], int otype, int statuses[],
			     unsigned int max, unsigned int *num, int *status)
{
	struct value_item v = {
	    .item = {.kind = &indom_kind},
	    .out = {.values = values,
		    .statuses = statuses,
		    .codes = codes,
		    .names = names,
		    .max = max,
		    .num = num,
		    .status = status},
	};
	pmDesc desc;
	pmID pmid;
	int r = begin_extend(group, metric);

	if (r == 0)
		r = item_lookup(metric, &pmid, &desc);
	if (r == 0)
		r = group_value_init(&v.metric.value, &desc, scale, otype);
	return r < 0 ? r : extend(group, &v, pmid, otype);
}

/* The field of events: a singular metric whose values are only in the records. */
static int lookup_field(struct value_item *v, const char *name, pmDesc *ret_desc)
{
	int r = item_lookup(name, &v->field_pmid, ret_desc);

	if (r == 0 && ret_desc->indom != PM_INDOM_NULL)
		r = PM_ERR_INDOM;
	return r;
}

static bool is_event(int type)
{
	return type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT;
}

/* There are no rates: a record has no earlier record to compare it with. */
static int init_field(struct value_item *v, const pmDesc *desc, const char *scale, int otype)
{
	int r = group_value_init(&v->field, desc, scale, otype);

	if (r == 0 && v->field.rate)
		r = PM_ERR_CONV;
	return r;
}

int pmExtendFetchGroup_event(pmFG group, const char *metric, const char *instance,
			     const char *field, const char *scale, struct timespec times[],
			     pmAtomValue values[], int otype, int statuses[], unsigned int max,
			     unsigned int *num, int *status)
{
	struct value_item v = {
	    .item = {.kind = &event_kind},
	    .out = {.values = values,
		    .statuses = statuses,
		    .times = times,
		    .max = max,
		    .num = num,
		    .status = status},
	};
	pmDesc *desc = &v.metric.value.desc;
	pmDesc field_desc;
	pmID pmid;
	int r = field == NULL ? -EINVAL : begin_extend(group, metric);

	if (r == 0)
		r = item_lookup(metric, &pmid, desc);
	if (r == 0)
		r = lookup_inst(group->context, desc, instance, &v.metric.inst);
	if (r == 0)
		r = lookup_field(&v, field, &field_desc);
	if (r == 0 && !is_event(desc->type))
		r = PM_ERR_TYPE;
	if (r == 0)
		r = init_field(&v, &field_desc, scale, otype);
	return r < 0 ? r : extend(group, &v, pmid, otype);
}
