/*
 * series - what is known of one instance of one metric after its values so far: docs/spec/logger.md
 * D5.
 *
 * Counters give a value per interval, the rate; where they went backward, or a mark is between, there
 * is none. Others give a value per observation, which holds until the next, a mark, or the end.
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
	bool known; /* there was a value, and no mark since */
	double last;
	struct timespec last_when;
	double total; /* of the values, or how much a counter grew */
	double area;  /* value by time */
	double seconds;
	double rates; /* sum of what is averaged */
	double min, max;
	struct timespec min_when, max_when;
	uint64_t averaged; /* how many: count, and once more what a discrete value
			    was at each mark and is at the end */
	uint64_t count;
	uint64_t *bins; /* owned; NULL before the second pass */
};

/* How the values of a metric are taken. */
struct series_kind {
	bool counter;
	bool discrete;
	double scale; /* of a counter: to seconds */
	double wrap;  /* where it begins again; 0: it is not known to wrap */
};

/* A value. */
void series_add(struct series *s, const struct series_kind *kind, double value,
		const struct timespec *when, int nbins);

/* From now on nothing is known: a mark, or the end of the window. */
void series_break(struct series *s, const struct series_kind *kind, const struct timespec *when);

/* Between the passes: the extremes stay, to lay out the bins by. Out of memory: exits. */
void series_restart(struct series *s, int nbins);

/* The largest value of bin i. */
double series_bound(const struct series *s, int i, int nbins);

#endif
