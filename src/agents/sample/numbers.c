/*
 * numbers - single numbers and texts: constant ones, ones that move by steps, ones that hold what
 * was stored, and one whose descriptor can be stored.
 */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

/* ---- metrics whose value never changes: a few of each type ---- */

static int constant(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return sample_number(call->metric->type, (double)call->metric->value.arg, ret_atom);
}

/* By the rows' arg. */
static char *const texts[] = {"", "hullo world!", "foo"};

static int constant_text(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->cp = texts[call->metric->value.arg];
	return PMDA_FETCH_STATIC;
}

/* A text's bytes, without the end. */
static int bytes(const struct agent_call *call, pmAtomValue *ret_atom)
{
	size_t len = strlen(texts[call->metric->value.arg]);
	pmValueBlock *block = malloc(sizeof(*block) + len);

	if (block == NULL)
		return -ENOMEM;
	block->vtype = PM_TYPE_AGGREGATE;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(block->vbuf, texts[call->metric->value.arg], len);
	ret_atom->vbp = block;
	return PMDA_FETCH_DYNAMIC;
}

/* clang-format off */
#define CONSTANT_INSTANT ONE_VALUE, PM_SEM_INSTANT
#define PER_MBYTE(scale) PMDA_PMUNITS(-1, 0, 1, PM_SPACE_MBYTE, 0, scale)
#define NUMBERS(word, type, item) \
    {word ".one", 0, item, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant, 1), "The number 1", \
     NULL, 0}, \
    {word ".ten", 0, item + 1, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant, 10), \
     "The number 10", NULL, 0}, \
    {word ".hundred", 0, item + 2, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant, 100), \
     "The number 100", NULL, 0}, \
    {word ".million", 0, item + 3, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant, 1000000), \
     "The number 10^6", NULL, 0}
#define SCALED(word, item, scale, n) \
    {"ulong.count." word, 0, item, PM_TYPE_U32, PM_SEM_INSTANT, ONE_VALUE, PER_MBYTE(scale), \
     AGENT_GET_ARG(constant, n), "A count for each Mbyte, on a scale of its own", NULL, 0}
#define SECRET(name, item, n) \
    {"secret." name, 0, item, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, COUNT, AGENT_GET_ARG(constant, n), \
     "A leaf deep in the tree", NULL, 0}

static const struct agent_metric constant_rows[] = {
    {"load", 0, 4, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant, 42), "Always 42", NULL,
     0},
    NUMBERS("long", PM_TYPE_32, 10),
    NUMBERS("float", PM_TYPE_FLOAT, 15),
    NUMBERS("longlong", PM_TYPE_64, 20),
    NUMBERS("double", PM_TYPE_DOUBLE, 25),
    NUMBERS("ulong", PM_TYPE_U32, 93),
    NUMBERS("ulonglong", PM_TYPE_U64, 98),
    {"string.null", 0, 30, PM_TYPE_STRING, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET(constant_text),
     "A string of no bytes", NULL, 0},
    {"string.hullo", 0, 31, PM_TYPE_STRING, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant_text, 1),
     "A short string", NULL, 0},
    {"aggregate.null", 0, 33, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET(bytes),
     "No bytes", NULL, 0},
    {"aggregate.hullo", 0, 34, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(bytes, 1),
     "A few bytes", NULL, 0},
    SCALED("base", 115, 0, 42000000),
    SCALED("deca", 116, 1, 4200000),
    SCALED("hecto", 117, 2, 420000),
    SCALED("kilo", 118, 3, 42000),
    SCALED("mega", 119, 6, 42),
    {"secret.bar", 0, 1000, PM_TYPE_STRING, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_ARG(constant_text, 2),
     "A leaf with a string", NULL, 0},
    SECRET("foo.one", 1001, 1),
    SECRET("foo.two", 1002, 2),
    SECRET("foo.bar.three", 1003, 3),
    SECRET("foo.bar.four", 1004, 4),
    SECRET("foo.bar.grunt.five", 1005, 5),
    SECRET("foo.bar.grunt.snort.six", 1006, 6),
    SECRET("foo.bar.grunt.snort.huff.puff.seven", 1007, 7),
    {"bigid", 0, 1023, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, COUNT, AGENT_GET_ARG(constant, 4194303),
     "The largest item number", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(constants, constant_rows);

/* ---- numbers that stay the same for a few fetches and then move: scales, and up and down ---- */

/* ---- one scale after the other, five fetches each; by the rows' arg ---- */

static struct scale {
	double first, last, factor;
	double at;
	int fetches;
} scales[] = {
    {1, 1099511627776., 2, 1, 0}, {1099511627776., 1, .5, 1, 0},
    {1, 1e12, 10, 1, 0},          {1e12, 1, .1, 1, 0},
    {1, 1e5, 10, 1, 0},           {1, 1e14, 10, 1, 0},
    {1, 1e7, 10, 1, 0},
};

static int scale(const struct agent_call *call, pmAtomValue *ret_atom)
{
	struct scale *s = &scales[call->metric->value.arg];

	if (s->fetches == 5) {
		s->fetches = 0;
		if (s->at == s->last)
			s->at = s->first;
		else
			s->at = s->factor < 1 ? s->at / (1 / s->factor) : s->at * s->factor;
	}
	s->fetches++;
	ret_atom->d = s->at;
	return PMDA_FETCH_STATIC;
}

/* ---- up and down between two bounds; what is stored counts from the next move on ---- */

static pmAtomValue repeat = {.ul = 5}, least = {.l = 0}, most = {.l = 200}, stride = {.ul = 10};
static pmAtomValue *const settings[] = {&repeat, &least, &most, &stride};

static int observed, direction = 1, left = 5;

static void move(void)
{
	int by = (int)stride.ul;

	observed = (int)((unsigned int)observed + (unsigned int)direction * (unsigned int)by);
	if (observed < least.l) {
		observed = (int)((unsigned int)least.l + (unsigned int)by);
		direction = 1;
	}
	if (observed > most.l) {
		observed = (int)((unsigned int)most.l - (unsigned int)by);
		direction = -1;
	}
}

static int updown(const struct agent_call *call, pmAtomValue *ret_atom)
{
	if (--left <= 0) {
		move();
		left = (int)repeat.ul;
	}
	ret_atom->l = observed;
	return PMDA_FETCH_STATIC;
}

static int setting(const struct agent_call *call, pmAtomValue *ret_atom)
{
	*ret_atom = *settings[call->metric->value.arg];
	return PMDA_FETCH_STATIC;
}

static int store_setting(const struct agent_call *call, const pmAtomValue *atom)
{
	*settings[call->metric->value.arg] = *atom;
	return 0;
}

/* clang-format off */
#define STEP_INSTANT ONE_VALUE, PM_SEM_INSTANT
#define STEP_UNITS(space, time, count, space_scale, time_scale) \
    PMDA_PMUNITS(space, time, count, space_scale, time_scale, 0)
#define SCALE(word, item, units, which, text) \
    {"scale_step." word, 0, item, PM_TYPE_DOUBLE, PM_SEM_INSTANT, ONE_VALUE, units, AGENT_GET_ARG(scale, which), text, \
     NULL, 0}
#define SETTING(word, item, type, which, text) \
    {"updown.control." word, 0, item, type, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_CALLS(setting, store_setting, which), text, \
     NULL, 0}

static const struct agent_metric step_rows[] = {
    SCALE("bytes_up", 65, STEP_UNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC), 0,
     "Doubles every five fetches"),
    SCALE("bytes_down", 66, STEP_UNITS(1, 0, 0, PM_SPACE_BYTE, 0), 1, "Halves every five fetches"),
    SCALE("count_up", 67, STEP_UNITS(0, -1, 1, 0, PM_TIME_SEC), 2,
     "Ten times as much every five fetches"),
    SCALE("count_down", 68, COUNT, 3, "A tenth every five fetches"),
    SCALE("time_up_secs", 69, SEC, 4, "Ten times as much every five fetches, up to a day"),
    SCALE("time_up_nanosecs", 70, STEP_UNITS(0, 1, 0, 0, PM_TIME_NSEC), 5,
          "Ten times as much every five fetches, up to a day"),
    SCALE("none_up", 71, NO_UNITS, 6, "Ten times as much every five fetches"),
    {"updown.obs", 0, 164, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET(updown),
     "Goes up to a bound, then down to another, as sample.updown.control.* say", NULL, 0},
    SETTING("repeat", 165, PM_TYPE_U32, 0, "For how many fetches sample.updown.obs stays the same"),
    SETTING("min", 166, PM_TYPE_32, 1, "Where sample.updown.obs turns up"),
    SETTING("max", 167, PM_TYPE_32, 2, "Where sample.updown.obs turns down"),
    SETTING("step", 168, PM_TYPE_U32, 3, "By how much sample.updown.obs moves"),
};
/* clang-format on */

ROWS_CLUSTER(steps, step_rows);

/* ---- metrics that hold what pmstore(1) gives them: one of each type ---- */

/* The slots, by the rows' arg. */
enum slot { PLAIN, LONG, FLOAT, LONGLONG, DOUBLE, ULONG, ULONGLONG, NSLOTS };

static pmAtomValue slots[NSLOTS] = {
    [PLAIN] = {.l = 2},   [LONG] = {.l = 13},   [FLOAT] = {.f = 13},       [LONGLONG] = {.ll = 13},
    [DOUBLE] = {.d = 13}, [ULONG] = {.ul = 13}, [ULONGLONG] = {.ull = 13},
};
static char *stored_text;          /* string.write_me; NULL: the default */
static pmValueBlock *stored_block; /* aggregate.write_me; NULL: the default */
static char default_text[] = "13";

static int number(const struct agent_call *call, pmAtomValue *ret_atom)
{
	*ret_atom = slots[call->metric->value.arg];
	return PMDA_FETCH_STATIC;
}

static int store_number(const struct agent_call *call, const pmAtomValue *atom)
{
	slots[call->metric->value.arg] = *atom;
	return 0;
}

static int string(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->cp = stored_text != NULL ? stored_text : default_text;
	return PMDA_FETCH_STATIC;
}

static int store_string(const struct agent_call *call, const pmAtomValue *atom)
{
	char *copy = strdup(atom->cp);

	if (copy == NULL)
		return -ENOMEM;
	free(stored_text);
	stored_text = copy;
	return 0;
}

static int aggregate(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static struct {
		pmValueBlock head;
		char more[4];
	} two;

	two.head.vtype = PM_TYPE_AGGREGATE;
	two.head.vlen = PM_VAL_HDR_SIZE + 2;
	memcpy(two.head.vbuf, default_text, 2);
	ret_atom->vbp = stored_block != NULL ? stored_block : &two.head;
	return PMDA_FETCH_STATIC;
}

static int store_aggregate(const struct agent_call *call, const pmAtomValue *atom)
{
	pmValueBlock *copy = malloc(atom->vbp->vlen);

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, atom->vbp, atom->vbp->vlen);
	free(stored_block);
	stored_block = copy;
	return 0;
}

int stored_is_changed(const struct agent_metric *row)
{
	double now, first = row->value.arg == PLAIN ? 2 : 13;
	pmAtomValue atom;

	if (row->value.store != store_number)
		return -1;
	atom = slots[row->value.arg];
	now = row->type == PM_TYPE_32      ? atom.l
	      : row->type == PM_TYPE_U32   ? atom.ul
	      : row->type == PM_TYPE_64    ? (double)atom.ll
	      : row->type == PM_TYPE_U64   ? (double)atom.ull
	      : row->type == PM_TYPE_FLOAT ? atom.f
					   : atom.d;
	return now != first;
}

/* clang-format off */
#define SLOT(name, item, type, units, slot) \
    {name, 0, item, type, PM_SEM_INSTANT, ONE_VALUE, units, AGENT_CALLS(number, store_number, slot), \
     "Holds the number that was stored", NULL, 0}

static const struct agent_metric stored_rows[] = {
    SLOT("write_me", 36, PM_TYPE_32, PMDA_PMUNITS(0, -1, 1, 0, PM_TIME_SEC, 0), PLAIN),
    SLOT("long.write_me", 14, PM_TYPE_32, NO_UNITS, LONG),
    SLOT("float.write_me", 19, PM_TYPE_FLOAT, NO_UNITS, FLOAT),
    SLOT("longlong.write_me", 24, PM_TYPE_64, NO_UNITS, LONGLONG),
    SLOT("double.write_me", 29, PM_TYPE_DOUBLE, NO_UNITS, DOUBLE),
    SLOT("ulong.write_me", 97, PM_TYPE_U32, NO_UNITS, ULONG),
    SLOT("ulonglong.write_me", 102, PM_TYPE_U64, NO_UNITS, ULONGLONG),
    {"string.write_me", 0, 32, PM_TYPE_STRING, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_STORE(string, store_string),
     "Holds the string that was stored", NULL, 0},
    {"aggregate.write_me", 0, 35, PM_TYPE_AGGREGATE, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS,
     AGENT_GET_STORE(aggregate, store_aggregate), "Holds the bytes that were stored", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(stored, stored_rows);

/* ---- a metric whose descriptor can be stored ---- */

enum { TYPE, INDOM, SEM, META_UNITS, PARTS };

static pmDesc desc = {.type = PM_TYPE_32,
		      .indom = PM_INDOM_NULL,
		      .sem = PM_SEM_DISCRETE,
		      .units = PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0)};

void meta_desc(pmDesc *ret_desc)
{
	desc.pmid = ret_desc->pmid;
	*ret_desc = desc;
}

static unsigned int *part(const struct agent_metric *row, unsigned int *units)
{
	unsigned int *parts[] = {(unsigned int *)&desc.type, &desc.indom, (unsigned int *)&desc.sem,
				 units};

	memcpy(units, &desc.units, sizeof(*units));
	return parts[row->value.arg];
}

static int part_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	unsigned int units;

	ret_atom->ul = *part(call->metric, &units);
	return PMDA_FETCH_STATIC;
}

static int store_part(const struct agent_call *call, const pmAtomValue *atom)
{
	unsigned int units;

	*part(call->metric, &units) = atom->ul;
	memcpy(&desc.units, &units, sizeof(units));
	return 0;
}

/* 42 in the type that the metric has just now. */
static int metric(const struct agent_call *call, pmAtomValue *ret_atom)
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

static int meta_no_value(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return PMDA_FETCH_NOVALUES;
}

/* clang-format off */
#define PART(word, item, which) \
    {"dynamic.meta.pmdesc." word, 0, item, PM_TYPE_U32, PM_SEM_DISCRETE, ONE_VALUE, COUNT, \
     AGENT_CALLS(part_value, store_part, which), "Part of the descriptor of sample.dynamic.meta.metric; can be stored", NULL, 0}
#define EMPTY(word, item, sem) \
    {"dynamic." word, 0, item, PM_TYPE_32, sem, OF(DYNAMIC), COUNT, AGENT_GET(meta_no_value), \
     "Has a domain without instances", NULL, 0}

static const struct agent_metric meta_rows[] = {
    EMPTY("counter", 76, PM_SEM_COUNTER),
    EMPTY("discrete", 77, PM_SEM_DISCRETE),
    EMPTY("instant", 78, PM_SEM_INSTANT),
    {"dynamic.meta.metric", 0, META_ITEM, PM_TYPE_32, PM_SEM_DISCRETE, ONE_VALUE,
     PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0), AGENT_GET(metric),
     "42, with the descriptor that sample.dynamic.meta.pmdesc.* say", NULL, 0},
    PART("type", 87, TYPE),
    PART("indom", 88, INDOM),
    PART("sem", 89, SEM),
    PART("units", 90, META_UNITS),
};
/* clang-format on */

ROWS_CLUSTER(meta, meta_rows);
