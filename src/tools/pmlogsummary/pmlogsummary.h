/*
 * pmlogsummary - shared declarations of the tool's files: options, metrics and the statistics of
 * their instances, and the output.
 */
#ifndef PMLOGSUMMARY_PMLOGSUMMARY_H
#define PMLOGSUMMARY_PMLOGSUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"
#include "tools/archive/names.h"

struct archive_meta;
struct window;

/*
 * options - the command line of pmlogsummary.
 */

/* The fields of a line, in their order. */
enum field {
	FIELD_STOCHASTIC = 1u << 0,
	FIELD_TIME = 1u << 1,
	FIELD_SUM = 1u << 2,
	FIELD_MIN = 1u << 3,
	FIELD_MIN_TIME = 1u << 4,
	FIELD_MAX = 1u << 5,
	FIELD_MAX_TIME = 1u << 6,
	FIELD_COUNT = 1u << 7,
	FIELD_BINS = 1u << 8,
};

struct options {
	pmOptions pm;
	unsigned int fields;
	bool verbose; /* warn about metrics without a descriptor */
	bool header;  /* print a line with the names of the fields */
	bool heading;
	char delimiter;
	int bins;
	int precision;
	const char *archive;
	char **metrics; /* names on the command line */
	int nmetrics;
};

/*
 * series - the statistics of one instance of one metric: docs/spec/logger.md D5.
 *
 * A counter gives a value per interval, its rate, but none if it decreased or if a mark is in
 * between. Other metrics give a value per observation, which is valid until the next one, a mark,
 * or the end.
 */

struct series {
	int inst;
	bool seen; /* there was a value */
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

/*
 * subjects - the metrics that are summarised, in the order of the name space, each with the series
 * of its instances in the order of their first values.
 */

struct subject {
	const char *name; /* the first of its names */
	pmDesc desc;
	struct series_kind kind;
	struct inst_set insts; /* the chosen instances */
	struct series **list;  /* owned, as are its elements */
	size_t n, room;
	struct hash by_inst;
	size_t
	    next; /* the index of the series that is expected next, if instances keep their order */
};

struct subjects {
	struct subject *list; /* owned */
	size_t n, room;
	struct hash by_pmid;
	struct archive_meta *meta;
	bool verbose;        /* report metrics without a descriptor */
	struct hash unknown; /* metrics that have been reported */
};

/*
 * Adds the numeric metrics of the words, each a name or NAME[INSTANCE,...], or all metrics. A word
 * that is wrong, or whose name is not found, is reported. Exits if out of memory.
 */
void subjects_find(struct subjects *s, struct archive_meta *meta, char **words, int n);
void subjects_done(struct subjects *s);

/* NULL: not one of them. */
struct subject *subjects_get(const struct subjects *s, pmID pmid);

/* The series of an instance, which is added if it does not exist. */
struct series *subject_series(struct subject *subject, int inst);

/*
 * report - the lines of the output.
 */

/* Prints the line that names the fields. */
void report_header(const struct options *o);

/* Prints a line for each series. */
void report_all(const struct options *o, const struct subjects *s, struct archive_meta *meta,
		const struct window *window);

#endif
