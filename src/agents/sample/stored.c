/* stored - metrics that hold what pmstore(1) gives them: one of each type. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "stored.h"

/* The slots, by the rows' arg. */
enum slot { PLAIN, LONG, FLOAT, LONGLONG, DOUBLE, ULONG, ULONGLONG, NSLOTS };

static pmAtomValue slots[NSLOTS] = {
    [PLAIN] = {.l = 2},   [LONG] = {.l = 13},   [FLOAT] = {.f = 13},       [LONGLONG] = {.ll = 13},
    [DOUBLE] = {.d = 13}, [ULONG] = {.ul = 13}, [ULONGLONG] = {.ull = 13},
};
static char *text;          /* string.write_me; NULL: the default */
static pmValueBlock *block; /* aggregate.write_me; NULL: the default */
static char default_text[] = "13";

static int number(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	*ret_atom = slots[row->arg];
	return PMDA_FETCH_STATIC;
}

static int store_number(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	slots[row->arg] = *atom;
	return 0;
}

static int string(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->cp = text != NULL ? text : default_text;
	return PMDA_FETCH_STATIC;
}

static int store_string(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	char *copy = strdup(atom->cp);

	if (copy == NULL)
		return -ENOMEM;
	free(text);
	text = copy;
	return 0;
}

static int aggregate(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	static struct {
		pmValueBlock head;
		char more[4];
	} two;

	two.head.vtype = PM_TYPE_AGGREGATE;
	two.head.vlen = PM_VAL_HDR_SIZE + 2;
	memcpy(two.head.vbuf, default_text, 2);
	ret_atom->vbp = block != NULL ? block : &two.head;
	return PMDA_FETCH_STATIC;
}

static int store_aggregate(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	pmValueBlock *copy = malloc(atom->vbp->vlen);

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, atom->vbp, atom->vbp->vlen);
	free(block);
	block = copy;
	return 0;
}

int stored_is_changed(const struct sample_metric *row)
{
	double now, first = row->arg == PLAIN ? 2 : 13;
	pmAtomValue atom;

	if (row->store != store_number)
		return -1;
	atom = slots[row->arg];
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
    {name, item, type, ONE_VALUE, PM_SEM_INSTANT, units, number, store_number, slot, \
     "Holds the number that was stored"}

static const struct sample_metric rows[] = {
    SLOT("write_me", 36, PM_TYPE_32, PMDA_PMUNITS(0, -1, 1, 0, PM_TIME_SEC, 0), PLAIN),
    SLOT("long.write_me", 14, PM_TYPE_32, NO_UNITS, LONG),
    SLOT("float.write_me", 19, PM_TYPE_FLOAT, NO_UNITS, FLOAT),
    SLOT("longlong.write_me", 24, PM_TYPE_64, NO_UNITS, LONGLONG),
    SLOT("double.write_me", 29, PM_TYPE_DOUBLE, NO_UNITS, DOUBLE),
    SLOT("ulong.write_me", 97, PM_TYPE_U32, NO_UNITS, ULONG),
    SLOT("ulonglong.write_me", 102, PM_TYPE_U64, NO_UNITS, ULONGLONG),
    {"string.write_me", 32, PM_TYPE_STRING, ONE_VALUE, PM_SEM_INSTANT, NO_UNITS, string,
     store_string, 0, "Holds the string that was stored"},
    {"aggregate.write_me", 35, PM_TYPE_AGGREGATE, ONE_VALUE, PM_SEM_INSTANT, NO_UNITS, aggregate,
     store_aggregate, 0, "Holds the bytes that were stored"},
};
/* clang-format on */

SAMPLE_GROUP(stored_group, rows);
