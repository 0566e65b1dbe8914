/*
 * window - times: as text, the window of time that options choose, and the heading.
 */
#ifndef ARCHIVE_WINDOW_H
#define ARCHIVE_WINDOW_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

struct log_label;
struct pmOptions;
struct recording;
struct timespec;

/*
 * stamp - a time as text in the reporting zone, fast where many of one second follow each other.
 */

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

/*
 * window - the reporting zone and the time window that options ask for (docs/spec/pmapi.md 15, 17).
 */

struct window {
	struct timespec start, finish;
};

/* Makes the zone of -z or -Z current and says so on standard output; false after an error was
 * reported. */
bool window_zone(const struct pmOptions *opts, const struct log_label *label);

/*
 * Makes the zone current, then reads -S, -T, -A and -O
 * within the archive's time. False after an error was reported.
 */
bool window_choose(const struct pmOptions *opts, const struct recording *r,
		   struct window *ret_window);

/* True, and reported on standard error, if the window has nothing of the archive. */
bool window_misses(const struct window *window, const struct recording *r);

/*
 * heading - the label of an archive, for people.
 */

/* How a tool prints one: blanks before its times, and how fine they are. */
struct heading_style {
	int indent;
	enum stamp_digits digits;
	bool features;   /* heading_more has a line for them, and for the zone's name */
	const char *why; /* the last time is unknown, in brackets; NULL: no reason */
};

/* Digits that an archive of this version has. */
enum stamp_digits heading_digits(const struct log_label *label);

/* Version, host, first and last time (NULL: unknown). */
void heading_print(FILE *f, const struct log_label *label, const struct timespec *end,
		   const struct heading_style *style);

/* Time zone and logger: what -L adds. */
void heading_more(FILE *f, const struct log_label *label, const struct heading_style *style);

#endif
