/*
 * quick - with BENCH_QUICK in the environment a program does as little as shows that it runs: the
 * figures are none then.
 */
#ifndef BENCH_QUICK_H
#define BENCH_QUICK_H

#include <stdlib.h>

static inline int quick(int usual, int little)
{
	return getenv("BENCH_QUICK") != NULL ? little : usual;
}

#endif
