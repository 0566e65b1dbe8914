/*
 * bins - nine numbers that can be stored, read as each type, in part, with unknown instances, and
 * with their instances in another order and number at each fetch.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sample.h"

enum { NBINS = 9 };

static pmdaInstid bins[NBINS] = {
    {100, "bin-100"}, {200, "bin-200"}, {300, "bin-300"}, {400, "bin-400"}, {500, "bin-500"},
    {600, "bin-600"}, {700, "bin-700"}, {800, "bin-800"}, {900, "bin-900"},
};
static int content[NBINS] = {100, 200, 300, 400, 500, 600, 700, 800, 900};

void bins_start(void)
{
	sample_set_instances(BINS, bins, NBINS);
	bins_scramble();
}

/* Where an instance's number is, or -1. */
static int bin_index(int inst)
{
	return inst >= 100 && inst <= 900 && inst % 100 == 0 ? inst / 100 - 1 : -1;
}

static int bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	int i = bin_index(call->inst);

	if (i < 0)
		return PM_ERR_INST;
	return sample_number(call->metric->type, content[i], ret_atom);
}

static int store_bin(const struct agent_call *call, const pmAtomValue *atom)
{
	int i = bin_index(call->inst);

	if (i < 0)
		return PM_ERR_INST;
	content[i] = atom->l;
	return 0;
}

/* The number and the seconds since the start: so that there is one that grows. */
static int growing_bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	int i = bin_index(call->inst);

	if (i < 0)
		return PM_ERR_INST;
	ret_atom->ull = (uint64_t)(content[i] + (long long)sample_elapsed());
	return PMDA_FETCH_STATIC;
}

/* Three digits: what is longer is cut. */
static int string_bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static char texts[NBINS][4];
	char number[16];
	int i = bin_index(call->inst);

	if (i < 0)
		return PM_ERR_INST;
	snprintf(number, sizeof(number), "%3d", content[i]);
	memcpy(texts[i], number, 3);
	ret_atom->cp = texts[i];
	return PMDA_FETCH_STATIC;
}

static int part_bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	if (call->inst % 200 == 0)
		return PMDA_FETCH_NOVALUES;
	return bin(call, ret_atom);
}

/* The even ones become instances that the domain does not have. */
static int bogus_bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	if (call->inst % 200 != 0)
		return bin(call, ret_atom);
	ret_atom->l = call->inst + 50;
	return PMDA_FETCH_STATIC;
}

void bins_make_bogus(pmValueSet *vset)
{
	for (int i = 0; i < vset->numval; i++)
		if (vset->vlist[i].inst % 200 == 0)
			vset->vlist[i].inst += 50;
}

/* ---- in disorder ---- */

static pmdaInstid scrambled[NBINS];
static int64_t version;
static int is_counted; /* whether the version has the fetch that goes on now */

/* All of them in the first version, in later ones a choice. */
void bins_scramble(void)
{
	static const int first[NBINS] = {700, 900, 600, 100, 800, 400, 500, 300, 200};
	int order[NBINS], n = NBINS;

	memcpy(order, first, sizeof(order));
	for (int i = NBINS - 1; version > 0 && i > 0; i--) {
		int j = sample_random(i + 1), kept = order[i];

		order[i] = order[j];
		order[j] = kept;
	}
	if (version > 0)
		n = 3 + sample_random(NBINS - 2);
	for (int i = 0; i < n; i++)
		scrambled[i] = bins[bin_index(order[i])];
	sample_set_instances(SCRAMBLED, scrambled, n);
	is_counted = 0;
}

static int scramble_bin(const struct agent_call *call, pmAtomValue *ret_atom)
{
	version += !is_counted;
	is_counted = 1;
	return bin(call, ret_atom);
}

static int scramble_version(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ll = version;
	return PMDA_FETCH_STATIC;
}

/* Whatever is stored: back to the beginning. */
static int store_version(const struct agent_call *call, const pmAtomValue *atom)
{
	version = 0;
	return 0;
}

/* clang-format off */
#define INSTANT(name, item, type, value, store, help) \
    {name, 0, item, type, PM_SEM_INSTANT, OF(BINS), NO_UNITS, AGENT_GET_STORE(value, store), help, NULL, 0}
#define TYPED(word, type, item, value) \
    INSTANT(word ".bin", item, type, value, NULL, "The bins in this type"), \
    {word ".bin_ctr", 0, item + 1, type, PM_SEM_COUNTER, OF(BINS), KBYTE, AGENT_GET(value), \
     "The bins in this type, as a counter", NULL, 0}

static const struct agent_metric rows[] = {
    INSTANT("bin", 6, PM_TYPE_32, bin, store_bin, "Nine numbers that can be stored"),
    INSTANT("bucket", 48, PM_TYPE_32, bin, NULL, "The bins, under another number"),
    INSTANT("part_bin", 50, PM_TYPE_32, part_bin, NULL, "Every other bin: the rest has no value"),
    INSTANT("bogus_bin", BOGUS_BIN, PM_TYPE_32, bogus_bin, NULL,
        "Values of instances that are not in the domain, between values of some that are"),
    TYPED("long", PM_TYPE_32, 103, bin),
    TYPED("ulong", PM_TYPE_U32, 105, bin),
    TYPED("float", PM_TYPE_FLOAT, 107, bin),
    TYPED("longlong", PM_TYPE_64, 109, bin),
    TYPED("ulonglong", PM_TYPE_U64, 111, growing_bin),
    TYPED("double", PM_TYPE_DOUBLE, 113, bin),
    INSTANT("string.bin", 153, PM_TYPE_STRING, string_bin, NULL,
            "The bins as text, three bytes each"),
    {"scramble.version", 0, 120, PM_TYPE_64, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS,
     AGENT_GET_STORE(scramble_version, store_version),
     "How often sample.scramble.bin was fetched since a value was stored here", NULL, 0},
    {"scramble.bin", 0, SCRAMBLE_BIN, PM_TYPE_32, PM_SEM_INSTANT, OF(SCRAMBLED), NO_UNITS,
     AGENT_GET(scramble_bin), "The bins, other ones in another order after each fetch", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(bins, rows);
