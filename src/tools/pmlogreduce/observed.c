#include "tools/pmlogreduce/observed.h"

#include <errno.h>

#include "tools/pmlogreduce/metrics.h"

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

static struct observed_inst *find_or_add(struct observed *o, struct metric *metric, int inst)
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

int64_t observed_whole(const struct observed_inst *inst, uint32_t raw)
{
	return inst->whole + (uint32_t)(raw - inst->raw);
}

/* No sample was written before the first one, so no wrap is counted. */
static void follow(const struct observed *o, const struct metric *metric, struct observed_inst *i,
		   uint32_t raw)
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
		struct observed_inst *i = find_or_add(o, metric, value->inst);

		if (i == NULL)
			return -ENOMEM;
		if (i->sample != o->sample) {
			i->sample = o->sample;
			i->sum = 0;
			i->count = 0;
		}
		if (metric_is_widened(metric))
			follow(o, metric, i, (uint32_t)value->value.lval);
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

const struct observed_inst *observed_get(const struct observed *o, const struct metric *metric,
					 int inst)
{
	const struct observed_inst *i = hash_find(&o->insts, key(metric, inst), NULL, NULL);

	return i != NULL && i->sample > metric->told ? i : NULL;
}
