/*
 * state - for all groups of rows: values of any type, instances, the clock, chance, the library's
 * state. It calls no group (sample.h).
 */
#include <stdint.h>
#include <time.h>

#include "sample.h"

pmdaIndom sample_indoms[SAMPLE_SERIALS - 1];

static pmdaExt *extension;
static struct timespec began;
static int names_are_stale = 1;

void sample_begin(pmdaExt *ext)
{
	clock_gettime(CLOCK_MONOTONIC, &began);
	extension = ext;
	for (unsigned int i = 0; i < SAMPLE_SERIALS - 1; i++)
		sample_indoms[i].it_indom = i + 1;
}

int sample_number(int type, double number, pmAtomValue *ret_atom)
{
	switch (type) {
	case PM_TYPE_32:
		ret_atom->l = (int32_t)number;
		return PMDA_FETCH_STATIC;
	case PM_TYPE_U32:
		ret_atom->ul = (uint32_t)(int64_t)number;
		return PMDA_FETCH_STATIC;
	case PM_TYPE_64:
		ret_atom->ll = (int64_t)number;
		return PMDA_FETCH_STATIC;
	case PM_TYPE_U64:
		ret_atom->ull = (uint64_t)(int64_t)number;
		return PMDA_FETCH_STATIC;
	case PM_TYPE_FLOAT:
		ret_atom->f = (float)number;
		return PMDA_FETCH_STATIC;
	case PM_TYPE_DOUBLE:
		ret_atom->d = number;
		return PMDA_FETCH_STATIC;
	default:
		return PM_ERR_TYPE;
	}
}

void sample_set_instances(enum sample_serial serial, pmdaInstid *set, int n)
{
	sample_indoms[serial - 1].it_set = set;
	sample_indoms[serial - 1].it_numinst = n;
}

pmdaExt *sample_ext(void)
{
	return extension;
}

double sample_elapsed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) / 1e9;
}

int sample_random(int n)
{
	static uint32_t state = 1;

	state = state * 1103515245u + 12345u;
	return (int)((state >> 16) % (unsigned int)n);
}

void sample_names_changed(void)
{
	names_are_stale = 1;
	extension->e_flags |= PMDA_EXT_NAMES_CHANGE;
}

int sample_names_renew(void)
{
	int stale = names_are_stale;

	names_are_stale = 0;
	return stale;
}
