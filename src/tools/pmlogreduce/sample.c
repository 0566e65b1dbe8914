/*
 * sample - the values observed between two samples, and all metrics at one point in time.
 */
#include "tools/pmlogreduce/pmlogreduce.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/archive/window.h"

/*
 * Observed values
 */

void observed_begin(struct observed *o)
{
	*o = (struct observed){.sample = 1, .stretch = 1};
}

void observed_done(struct observed *o)
{
	hash_done(&o->insts);
	arena_done(&o->mem);
}

/* The 64-bit hash is one to one, so it alone decides. */
static uint64_t key(const struct metric *metric, int inst)
{
	if (metric->in.indom == PM_INDOM_NULL)
		inst = PM_IN_NULL;
	return hash_u64((uint64_t)metric->in.pmid << 32 | (uint32_t)inst);
}

static struct observed_inst *sample_find_or_add(struct observed *o, struct metric *metric, int inst)
{
	uint64_t hash = key(metric, inst);
	struct observed_inst *i = hash_find(&o->insts, hash, NULL, NULL);

	if (i != NULL)
		return i;
	i = arena_calloc(&o->mem, 1, sizeof(*i));
	if (i == NULL || hash_add(&o->insts, hash, i) < 0)
		return NULL;
	i->inst = metric->in.indom == PM_INDOM_NULL ? (int)PM_IN_NULL : inst;
	*metric->last = i;
	metric->last = &i->next;
	return i;
}

/*
 * The value, with the wraps added, of a 32-bit counter whose value is raw at or after the last
 * observation.
 */
static int64_t observed_whole(const struct observed_inst *inst, uint32_t raw)
{
	return inst->whole + (uint32_t)(raw - inst->raw);
}

/* No sample was written before the first one, so no wrap is counted. */
static void sample_follow(const struct observed *o, const struct metric *metric,
			  struct observed_inst *i, uint32_t raw)
{
	if (o->sample > 1 && i->stretch == o->stretch)
		i->whole = observed_whole(i, raw);
	else
		i->whole = metric->in.type == PM_TYPE_32 ? (int32_t)raw : (int64_t)raw;
	i->stretch = o->stretch;
	i->raw = raw;
}

static void add_number(const struct metric *metric, struct observed_inst *i, int valfmt,
		       const pmValue *value)
{
	pmAtomValue atom;

	if (pmExtractValue(valfmt, value, metric->in.type, &atom, PM_TYPE_DOUBLE) < 0)
		return;
	i->sum += atom.d;
	i->count++;
}

int observed_add(struct observed *o, struct metric *metric, const pmValueSet *set)
{
	for (int n = 0; n < set->numval; n++) {
		const pmValue *value = &set->vlist[n];
		struct observed_inst *i = sample_find_or_add(o, metric, value->inst);

		if (i == NULL)
			return -ENOMEM;
		if (i->sample != o->sample) {
			i->sample = o->sample;
			i->sum = 0;
			i->count = 0;
		}
		if (metric_is_widened(metric))
			sample_follow(o, metric, i, (uint32_t)value->value.lval);
		else if (metric->mean)
			add_number(metric, i, set->valfmt, value);
	}
	return 0;
}

void observed_mark(struct observed *o)
{
	o->stretch++;
}

void observed_next(struct observed *o)
{
	o->sample++;
}

/*
 * NULL: not observed since the metric last had values in a sample. A metric without instance domain
 * has one instance, whatever number is given.
 */
static const struct observed_inst *observed_get(const struct observed *o,
						const struct metric *metric, int inst)
{
	const struct observed_inst *i = hash_find(&o->insts, key(metric, inst), NULL, NULL);

	return i != NULL && i->sample > metric->last_sample ? i : NULL;
}

/*
 * Samples
 */

static int go_to(int context, const struct timespec *when, const struct timespec *delta)
{
	int sts = pmUseContext(context);

	return sts < 0 ? sts : pmSetModeHighRes(PM_MODE_INTERP, when, delta);
}

int sample_begin(struct sample *s, const struct timespec *first)
{
	const struct timespec *start = &s->input->label.start;

	s->again = -1;
	s->when = *first;
	s->at = stamp_compare(first, start) < 0 ? *start : *first;
	return go_to(s->input->values, &s->at, &s->interval);
}

static void sample_drop(struct sample *s)
{
	if (s->values != NULL)
		pmFreeHighResResult(s->values);
	if (s->wrapped != NULL)
		pmFreeHighResResult(s->wrapped);
	s->values = NULL;
	s->wrapped = NULL;
	arena_reset(&s->mem);
}

void sample_end(struct sample *s)
{
	sample_drop(s);
	arena_done(&s->mem);
	if (s->again >= 0)
		pmDestroyContext(s->again);
}

/* True if the value is less than the last observed one: the counter wraps before the next value. */
static bool is_wrapping(const struct sample *s, const struct metric *metric, const pmValue *value)
{
	const struct observed_inst *i = observed_get(s->observed, metric, value->inst);

	if (i == NULL)
		return false;
	if (metric->in.type == PM_TYPE_32)
		return value->value.lval < (int32_t)i->raw;
	return (uint32_t)value->value.lval < i->raw;
}

static uint32_t list_wrapping(const struct sample *s, pmID *ret_pmids)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->metrics->n; i++) {
		const struct metric *metric = s->metrics->list[i];
		const pmValueSet *set = s->values->vset[i];
		bool some = false;

		for (int j = 0; metric_is_widened(metric) && j < set->numval && !some; j++)
			some = is_wrapping(s, metric, &set->vlist[j]);
		if (some)
			ret_pmids[n++] = metric->in.pmid;
	}
	return n;
}

/* Fetches the same time in a second context, where counters that decrease have wrapped. */
static int fetch_wrapped(struct sample *s, pmID *pmids, uint32_t n)
{
	int sts;

	if (s->again < 0)
		s->again = pmNewContext(PM_CONTEXT_ARCHIVE, s->input->name);
	if (s->again < 0)
		return s->again;
	sts = pitot_context_wrap(s->again, 1);
	if (sts >= 0)
		sts = go_to(s->again, &s->values->timestamp, &s->interval);
	return sts < 0 ? sts : pmFetchHighRes((int)n, pmids, &s->wrapped);
}

static int find_wrapped(struct sample *s)
{
	pmID *pmids = arena_calloc(&s->mem, s->metrics->n + 1, sizeof(*pmids));
	uint32_t n;

	if (pmids == NULL)
		return -ENOMEM;
	n = list_wrapping(s, pmids);
	return n == 0 ? 0 : fetch_wrapped(s, pmids, n);
}

/* The value from the second context if the counter wraps, else from the first. */
static uint32_t raw_at(const struct sample *s, const struct metric *metric, const pmValue *value)
{
	for (int i = 0; is_wrapping(s, metric, value) && i < s->wrapped->numpmid; i++) {
		const pmValueSet *set = s->wrapped->vset[i];

		for (int j = 0; set->pmid == metric->in.pmid && j < set->numval; j++)
			if (set->vlist[j].inst == value->inst)
				return (uint32_t)set->vlist[j].value.lval;
	}
	return (uint32_t)value->value.lval;
}

/* A value block for a number of a type that needs one. */
static pmValueBlock *new_block(struct sample *s, int type, const pmAtomValue *atom)
{
	size_t len = type == PM_TYPE_FLOAT ? sizeof(float) : sizeof(uint64_t);
	pmValueBlock *block = arena_calloc(&s->mem, 1, PM_VAL_HDR_SIZE + sizeof(uint64_t));

	if (block == NULL)
		return NULL;
	block->vtype = (unsigned int)type;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(block->vbuf, atom, len);
	return block;
}

static int sample_put_number(struct sample *s, pmValueSet *set, int type, int inst,
			     const pmAtomValue *atom)
{
	pmValue *value = &set->vlist[set->numval];

	value->inst = inst;
	set->valfmt = type == PM_TYPE_32 || type == PM_TYPE_U32 ? PM_VAL_INSITU : PM_VAL_DPTR;
	if (set->valfmt == PM_VAL_INSITU) {
		value->value.lval = atom->l;
	} else {
		value->value.pval = new_block(s, type, atom);
		if (value->value.pval == NULL)
			return -ENOMEM;
	}
	set->numval++;
	return 0;
}

static pmAtomValue mean_of(const struct observed_inst *i, int type)
{
	double mean = i->sum / (double)i->count;
	pmAtomValue atom = {0};

	switch (type) {
	case PM_TYPE_32:
		atom.l = (int32_t)lrint(mean);
		break;
	case PM_TYPE_U32:
		atom.ul = (uint32_t)llrint(mean);
		break;
	case PM_TYPE_64:
		atom.ll = mean < 0x1p63 ? llrint(mean) : INT64_MAX;
		break;
	case PM_TYPE_U64:
		atom.ull = mean < 0x1p64 ? (uint64_t)rint(mean) : UINT64_MAX;
		break;
	case PM_TYPE_FLOAT:
		atom.f = (float)mean;
		break;
	default:
		atom.d = mean;
		break;
	}
	return atom;
}

static pmValueSet *new_set(struct sample *s, pmID pmid, int room)
{
	pmValueSet *set = arena_calloc(
	    &s->mem, 1, sizeof(*set) + (size_t)(room > 0 ? room : 0) * sizeof(pmValue));

	if (set != NULL)
		set->pmid = pmid;
	return set;
}

/* Adds one value of the fetched ones. */
static int put_value(struct sample *s, const struct metric *metric, const pmValueSet *from,
		     const pmValue *value, pmValueSet *set)
{
	const struct observed_inst *i = observed_get(s->observed, metric, value->inst);
	pmAtomValue atom;

	if (i == NULL)
		return 0;
	if (metric_is_widened(metric)) {
		atom.ll = observed_whole(i, raw_at(s, metric, value));
		return sample_put_number(s, set, metric->out.type, value->inst, &atom);
	}
	set->valfmt = from->valfmt;
	set->vlist[set->numval++] = *value;
	return 0;
}

static int put_values(struct sample *s, struct metric *metric, const pmValueSet *from)
{
	pmValueSet *set = new_set(s, metric->in.pmid, from->numval);
	int sts = set == NULL ? -ENOMEM : 0;

	for (int i = 0; i < from->numval && sts >= 0; i++)
		sts = put_value(s, metric, from, &from->vlist[i], set);
	if (sts >= 0 && from->numval < 0)
		set->numval = from->numval;
	if (from->numval > 0)
		metric->last_sample = s->observed->sample;
	if (sts >= 0 && (set->numval > 0 || from->numval <= 0))
		s->sets[s->n++] = set;
	return sts;
}

static int put_means(struct sample *s, const struct metric *metric)
{
	const struct observed_inst *i;
	pmValueSet *set;
	int room = 0, sts;

	for (i = metric->first; i != NULL; i = i->next)
		room += i->sample == s->observed->sample && i->count > 0;
	set = new_set(s, metric->in.pmid, room);
	sts = set == NULL ? -ENOMEM : 0;
	for (i = metric->first; i != NULL && sts >= 0; i = i->next) {
		pmAtomValue atom;

		if (i->sample != s->observed->sample || i->count == 0)
			continue;
		atom = mean_of(i, metric->out.type);
		sts = sample_put_number(s, set, metric->out.type, i->inst, &atom);
	}
	if (sts >= 0)
		s->sets[s->n++] = set;
	return sts;
}

static int put_all(struct sample *s)
{
	int sts = 0;

	s->sets = arena_calloc(&s->mem, s->metrics->n + 1, sizeof(pmValueSet *));
	if (s->sets == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < s->metrics->n && sts >= 0; i++) {
		struct metric *metric = s->metrics->list[i];

		sts =
		    metric->mean ? put_means(s, metric) : put_values(s, metric, s->values->vset[i]);
	}
	return sts;
}

void sample_next(struct sample *s)
{
	pmtimespecInc(&s->when, &s->interval);
	pmtimespecInc(&s->at, &s->interval);
}

int sample_take(struct sample *s)
{
	int sts = pmUseContext(s->input->values);

	sample_drop(s);
	s->n = 0;
	if (sts >= 0)
		sts = pmFetchHighRes((int)s->metrics->n, s->metrics->pmids, &s->values);
	if (sts >= 0)
		sts = find_wrapped(s);
	return sts < 0 ? sts : put_all(s);
}
