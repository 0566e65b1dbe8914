/* meta - a metric whose descriptor can be stored. */
#include <stdlib.h>
#include <string.h>

#include "meta.h"
#include "sample.h"

enum { TYPE, INDOM, SEM, UNITS, PARTS };

static pmDesc desc = {.type = PM_TYPE_32,
		      .indom = PM_INDOM_NULL,
		      .sem = PM_SEM_DISCRETE,
		      .units = PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0)};

void meta_desc(pmDesc *ret_desc)
{
	desc.pmid = ret_desc->pmid;
	*ret_desc = desc;
}

static unsigned int *part(const struct sample_metric *row, unsigned int *units)
{
	unsigned int *parts[] = {(unsigned int *)&desc.type, &desc.indom, (unsigned int *)&desc.sem,
				 units};

	memcpy(units, &desc.units, sizeof(*units));
	return parts[row->arg];
}

static int part_value(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	unsigned int units;

	ret_atom->ul = *part(row, &units);
	return PMDA_FETCH_STATIC;
}

static int store_part(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	unsigned int units;

	*part(row, &units) = atom->ul;
	memcpy(&desc.units, &units, sizeof(units));
	return 0;
}

/* 42 in the type that the metric has just now. */
static int metric(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	static char text[] = "42";
	pmValueBlock *block;

	if (desc.type == PM_TYPE_STRING) {
		ret_atom->cp = text;
		return PMDA_FETCH_STATIC;
	}
	if (desc.type != PM_TYPE_AGGREGATE)
		return sample_number(desc.type, 42, ret_atom);
	block = malloc(sizeof(*block) + 2);
	if (block == NULL)
		return -ENOMEM;
	block->vtype = PM_TYPE_AGGREGATE;
	block->vlen = PM_VAL_HDR_SIZE + 2;
	memcpy(block->vbuf, text, 2);
	ret_atom->vbp = block;
	return PMDA_FETCH_DYNAMIC;
}

static int no_value(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	return PMDA_FETCH_NOVALUES;
}

/* clang-format off */
#define PART(word, item, which) \
    {"dynamic.meta.pmdesc." word, item, PM_TYPE_U32, ONE_VALUE, PM_SEM_DISCRETE, COUNT, \
     part_value, \
     store_part, which, "Part of the descriptor of sample.dynamic.meta.metric; can be stored"}
#define EMPTY(word, item, sem) \
    {"dynamic." word, item, PM_TYPE_32, DYNAMIC, sem, COUNT, no_value, NULL, 0, \
     "Has a domain without instances"}

static const struct sample_metric rows[] = {
    EMPTY("counter", 76, PM_SEM_COUNTER),
    EMPTY("discrete", 77, PM_SEM_DISCRETE),
    EMPTY("instant", 78, PM_SEM_INSTANT),
    {"dynamic.meta.metric", META_ITEM, PM_TYPE_32, ONE_VALUE, PM_SEM_DISCRETE,
     PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0), metric, NULL, 0,
     "42, with the descriptor that sample.dynamic.meta.pmdesc.* say"},
    PART("type", 87, TYPE),
    PART("indom", 88, INDOM),
    PART("sem", 89, SEM),
    PART("units", 90, UNITS),
};
/* clang-format on */

SAMPLE_GROUP(meta_group, rows);
