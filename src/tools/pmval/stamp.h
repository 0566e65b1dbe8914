/*
 * stamp - the time at the beginning of a sample.
 */
#ifndef PMVAL_STAMP_H
#define PMVAL_STAMP_H

#include <time.h>

/* Prints a time in the reporting zone: the clock (detail 0), with the date (1), in nanoseconds (2).
 */
void stamp_print(const struct timespec *when, int detail);

/* Characters of such a stamp. */
int stamp_width(int detail);

#endif
