/* banner - what `pitot up` says once the collector answers: what runs, where, and what to try. */
#ifndef PITOT_BANNER_H
#define PITOT_BANNER_H

#include "place.h"

struct recorder;

/* Asks the collector at the socket; 0, or a PMAPI error when it does not answer. */
int banner_print(const struct place *p, const struct recorder *recorder, int port,
		 char *const addresses[], int count);

#endif
