/*
 * series - the statistics of one instance of one metric: docs/spec/logger.md D5.
 *
 * A counter gives a value per interval, its rate, but none if it decreased or if a mark is in
 * between. Other metrics give a value per observation, which is valid until the next one, a mark,
 * or the end.
 */
#ifndef PMLOGSUMMARY_SERIES_H
#define PMLOGSUMMARY_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct series {
	int inst;
	bool seen;  /* there was a value */
	struct timespec first_when;
	bool known; /* there was a value after the last mark */
	double last;
	struct timespec last_when;
	double total; /* sum of the values, or the increase of a counter */
	double area;  /* sum of value times seconds */
	double seconds;
	double rates; /* sum of the values to be averaged */
	double min, max;
	struct timespec min_when, max_when;
	uint64_t averaged; /* how many: count, and one more at each mark and the end if discrete */
	uint64_t count;
	uint64_t *bins; /* owned; NULL before the second pass */
};

/* How the values of a metric are treated. */
struct series_kind {
	bool counter;
	bool discrete;
	double scale; /* for a counter: factor to seconds */
	double wrap;  /* the value at which it wraps; 0: unknown */
};

/* Adds a value. */
void series_add(struct series *s, const struct series_kind *kind, double value,
		const struct timespec *when, int nbins);

/* The value is unknown from now on: a mark, or the end of the window. */
void series_break(struct series *s, const struct series_kind *kind, const struct timespec *when);

/*
 * Prepares the second pass: the extremes are kept for the layout of the bins. Exits if out of
 * memory.
 */
void series_restart(struct series *s, int nbins);

/* The largest value of bin i. */
double series_bound(const struct series *s, int i, int nbins);

#endif
