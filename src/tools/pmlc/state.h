/*
 * state - the status word of a metric and instance as text (docs/spec/logger.md B3.1, C3).
 */
#ifndef PMLC_STATE_H
#define PMLC_STATE_H

#include <stdint.h>
#include <stdio.h>

enum { STATE_INTERVAL_LEN = 12 };

/* "mand on  nl       1.5 sec ": without the leading blanks and the instance after it. */
void state_print(int word, FILE *f);

#endif
