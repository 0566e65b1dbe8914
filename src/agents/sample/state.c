/*
 * state - for all clusters of rows: values of any type, instances, the clock, chance, the library's
 * state. It calls no cluster (sample.h).
 */
#include <stdint.h>
#include <time.h>

#include "sample.h"

#define DOMAIN(serial_, text) [serial_] = {.serial = serial_, .oneline = text, .own = 1}

const struct agent_indom sample_indoms[SAMPLE_SERIALS] = {
    DOMAIN(COLOURS, "Three colours"),
    DOMAIN(BINS, "Nine bins"),
    DOMAIN(MIRAGE, "Instances that come and go"),
    DOMAIN(FAMILY, "Five people"),
    DOMAIN(HORDES, "500 instances"),
    DOMAIN(DODGEY, "Instances that nobody can rely on"),
    DOMAIN(DYNAMIC, "No instances"),
    DOMAIN(MANY, "As many instances as sample.many.count says"),
    DOMAIN(SCRAMBLED, "Some of the nine bins, in disorder"),
    DOMAIN(EVENTS, "Two sources of events"),
    DOMAIN(GHOSTS, "Ghosts"),
    DOMAIN(PROCESSES, "Processes that are made up"),
    DOMAIN(RETURNS, "What a fetch callback answers"),
};

static pmdaExt *extension;
static struct timespec began;

void sample_begin(pmdaExt *ext)
{
	clock_gettime(CLOCK_MONOTONIC, &began);
	extension = ext;
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
	agent_set_instances(extension, OF(serial), set, n);
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
