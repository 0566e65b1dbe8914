/* constants - metrics whose value never changes: a few of each type. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

static int constant(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	return sample_number(row->type, (double)row->arg, ret_atom);
}

/* By the rows' arg. */
static char *const texts[] = {"", "hullo world!", "foo"};

static int text(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->cp = texts[row->arg];
	return PMDA_FETCH_STATIC;
}

/* A text's bytes, without the end. */
static int bytes(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	size_t len = strlen(texts[row->arg]);
	pmValueBlock *block = malloc(sizeof(*block) + len);

	if (block == NULL)
		return -ENOMEM;
	block->vtype = PM_TYPE_AGGREGATE;
	block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(block->vbuf, texts[row->arg], len);
	ret_atom->vbp = block;
	return PMDA_FETCH_DYNAMIC;
}

/* clang-format off */
#define INSTANT ONE_VALUE, PM_SEM_INSTANT
#define PER_MBYTE(scale) PMDA_PMUNITS(-1, 0, 1, PM_SPACE_MBYTE, 0, scale)
#define NUMBERS(word, type, item) \
    {word ".one",     item,     type, INSTANT, NO_UNITS, constant, NULL, 1,       "The number 1"}, \
    {word ".ten",     item + 1, type, INSTANT, NO_UNITS, constant, NULL, 10, \
          "The number 10"}, \
    {word ".hundred", item + 2, type, INSTANT, NO_UNITS, constant, NULL, 100, \
         "The number 100"}, \
    {word ".million", item + 3, type, INSTANT, NO_UNITS, constant, NULL, 1000000, "The number 10^6"}
#define SCALED(word, item, scale, n) \
    {"ulong.count." word, item, PM_TYPE_U32, INSTANT, PER_MBYTE(scale), constant, NULL, n, \
     "A count for each Mbyte, on a scale of its own"}
#define SECRET(name, item, n) \
    {"secret." name, item, PM_TYPE_32, INSTANT, COUNT, constant, NULL, n, "A leaf deep in the tree"}

static const struct sample_metric rows[] = {
    {"load", 4, PM_TYPE_32, INSTANT, NO_UNITS, constant, NULL, 42, "Always 42"},
    NUMBERS("long", PM_TYPE_32, 10),
    NUMBERS("float", PM_TYPE_FLOAT, 15),
    NUMBERS("longlong", PM_TYPE_64, 20),
    NUMBERS("double", PM_TYPE_DOUBLE, 25),
    NUMBERS("ulong", PM_TYPE_U32, 93),
    NUMBERS("ulonglong", PM_TYPE_U64, 98),
    {"string.null", 30, PM_TYPE_STRING, INSTANT, NO_UNITS, text, NULL, 0, "A string of no bytes"},
    {"string.hullo", 31, PM_TYPE_STRING, INSTANT, NO_UNITS, text, NULL, 1, "A short string"},
    {"aggregate.null", 33, PM_TYPE_AGGREGATE, INSTANT, NO_UNITS, bytes, NULL, 0, "No bytes"},
    {"aggregate.hullo", 34, PM_TYPE_AGGREGATE, INSTANT, NO_UNITS, bytes, NULL, 1, "A few bytes"},
    SCALED("base", 115, 0, 42000000),
    SCALED("deca", 116, 1, 4200000),
    SCALED("hecto", 117, 2, 420000),
    SCALED("kilo", 118, 3, 42000),
    SCALED("mega", 119, 6, 42),
    {"secret.bar", 1000, PM_TYPE_STRING, INSTANT, NO_UNITS, text, NULL, 2, "A leaf with a string"},
    SECRET("foo.one", 1001, 1),
    SECRET("foo.two", 1002, 2),
    SECRET("foo.bar.three", 1003, 3),
    SECRET("foo.bar.four", 1004, 4),
    SECRET("foo.bar.grunt.five", 1005, 5),
    SECRET("foo.bar.grunt.snort.six", 1006, 6),
    SECRET("foo.bar.grunt.snort.huff.puff.seven", 1007, 7),
    {"bigid", 1023, PM_TYPE_32, INSTANT, COUNT, constant, NULL, 4194303, "The largest item number"},
};
/* clang-format on */

SAMPLE_GROUP(constants_group, rows);
