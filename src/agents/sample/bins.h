/* bins.h - what must be done around a fetch of the bins. */
#ifndef SAMPLE_BINS_H
#define SAMPLE_BINS_H

#include <pcp/pmapi.h>

enum { BOGUS_BIN = 51, SCRAMBLE_BIN = 121 };

void bins_start(void);

/* Gives the values of bogus_bin the instances that do not exist. */
void bins_make_bogus(pmValueSet *vset);

/* Before a fetch of SCRAMBLE_BIN: another choice of bins. */
void bins_scramble(void);

#endif
