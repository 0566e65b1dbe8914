/*
 * quick - with BENCH_QUICK in the environment a program runs a minimal workload, to test that it
 * works; its figures then have no meaning.
 */
#ifndef BENCH_QUICK_H
#define BENCH_QUICK_H

#include <stdlib.h>

static inline int quick(int usual, int little)
{
	return getenv("BENCH_QUICK") != NULL ? little : usual;
}

#endif
