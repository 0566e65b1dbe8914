/*
 * stamp - a time as text in the reporting zone, fast where many of one second follow each other.
 */
#ifndef TOOLS_ARCHIVE_STAMP_H
#define TOOLS_ARCHIVE_STAMP_H

#include <stdio.h>
#include <time.h>

enum stamp_digits {
	STAMP_MILLI = 3,
	STAMP_MICRO = 6,
	STAMP_NANO = 9,
};

enum { STAMP_ROOM = 64 };

/* "HH:MM:SS.fff": the text is in buf, of STAMP_ROOM bytes; its length is returned. */
int stamp_time(char *buf, const struct timespec *when, enum stamp_digits digits);

/* "Www Mmm dd HH:MM:SS.fff yyyy", likewise. */
int stamp_date(char *buf, const struct timespec *when, enum stamp_digits digits);

/* a - b in seconds: exact where two doubles would lose the nanoseconds. */
double stamp_minus(const struct timespec *a, const struct timespec *b);

/* Below, at or above 0 as a is before, at or after b. */
int stamp_compare(const struct timespec *a, const struct timespec *b);

#endif
