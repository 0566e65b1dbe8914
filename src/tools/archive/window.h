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

/* stamp - a time as text in the reporting zone; fast for many times within the same second. */

enum stamp_digits {
	STAMP_MILLI = 3,
	STAMP_MICRO = 6,
	STAMP_NANO = 9,
};

enum { STAMP_ROOM = 64 };

/* "HH:MM:SS.fff" in buf, of STAMP_ROOM bytes. Returns its length. */
int stamp_time(char *buf, const struct timespec *when, enum stamp_digits digits);

/* "Www Mmm dd HH:MM:SS.fff yyyy" in the same way. */
int stamp_date(char *buf, const struct timespec *when, enum stamp_digits digits);

/* a - b in seconds, without the rounding of two large doubles. */
double stamp_minus(const struct timespec *a, const struct timespec *b);

/* Less than, equal to or greater than 0 as a is before, at or after b. */
int stamp_compare(const struct timespec *a, const struct timespec *b);

/* window - the reporting zone and the time window of the options (docs/spec/pmapi.md 15, 17). */

struct window {
	struct timespec start, finish;
};

/*
 * Sets the zone of -z or -Z and prints a note on standard output. Returns false after reporting an
 * error.
 */
bool window_zone(const struct pmOptions *opts, const struct log_label *label);

/*
 * Sets the zone, then applies -S, -T, -A and -O to the archive's time. Returns false after
 * reporting an error.
 */
bool window_choose(const struct pmOptions *opts, const struct recording *r,
		   struct window *ret_window);

/*
 * Returns true, after reporting it on standard error, if the window contains nothing of the
 * archive.
 */
bool window_misses(const struct window *window, const struct recording *r);

/* heading - the label of an archive as text. */

/* The format of a heading: indentation of its times, and their precision. */
struct heading_style {
	int indent;
	enum stamp_digits digits;
	bool features;   /* heading_more prints a line for them, and one for the zone's name */
	const char *why; /* the reason, in brackets, why the last time is unknown; or NULL */
};

/* The precision of an archive of this version. */
enum stamp_digits heading_digits(const struct log_label *label);

/* Prints version, host, first and last time (NULL: unknown). */
void heading_print(FILE *f, const struct log_label *label, const struct timespec *end,
		   const struct heading_style *style);

/* Prints time zone and logger, which -L adds. */
void heading_more(FILE *f, const struct log_label *label, const struct heading_style *style);

#endif
