/*
 * stamp - the time at the beginning of a sample.
 */
#ifndef PMVAL_STAMP_H
#define PMVAL_STAMP_H

#include <time.h>

/*
 * Prints a time in the reporting zone: the clock (detail 0), also the date (1), also nanoseconds
 * (2).
 */
void stamp_print(const struct timespec *when, int detail);

/* The number of characters of such a stamp. */
int stamp_width(int detail);

#endif
