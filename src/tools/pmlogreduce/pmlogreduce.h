/*
 * pmlogreduce - shared declarations of the tool's files: options, the input and its metrics,
 * observed values, and samples.
 */
#ifndef PMLOGREDUCE_PMLOGREDUCE_H
#define PMLOGREDUCE_PMLOGREDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "tools/archive/recording.h"

struct metadata;
struct observed_inst;
struct window;

/*
 * options - the command line of pmlogreduce.
 */

struct options {
	pmOptions pm;
	bool mean;    /* use the mean of the observations in place of the value at the time of the
			 sample */
	long samples; /* 0: no limit */
	long volsamples; /* 0: one volume */
	struct timespec interval;
	char *align; /* NULL: not given */
	const char *input;
	const char *output;
};

/*
 * input - the archives that are read: as records, as values at a time, and their metadata.
 */

struct input_part {
	char *name; /* owned */
	struct recording recording;
	struct metadata *metadata; /* owned */
};

struct input {
	const char *name;
	int values;  /* an interpolating context */
	int records; /* a context for records, with a mark between the archives of a list */
	struct input_part *parts; /* in the order of time */
	size_t n;
	struct log_label label; /* of the first part, with the newest version of all parts */
	struct timespec end;
};

/* Returns false after reporting an error; the caller closes the input in both cases. */
bool input_open(struct input *s, const char *name);
void input_close(struct input *s);

/* Reports the place of a damaged record, after PM_ERR_LOGREC. */
void input_report_damage(const struct input *s);

/*
 * metrics - the metrics that are copied: all of the name space that have a value at a point in
 * time.
 */

struct metric {
	pmDesc in;
	pmDesc out;                          /* a 32-bit counter becomes a 64-bit one */
	bool mean;                           /* a number whose mean is computed */
	uint64_t last_sample;                /* the last sample in which it had values; 0: none */
	struct observed_inst *first, **last; /* its instances, in the order of their first values */
};

struct metrics {
	struct metric **list; /* in the order of the name space */
	pmID *pmids;          /* the same metrics */
	size_t n, room;
	struct hash by_pmid;
	struct arena mem;
};

/*
 * Loads all metrics that the archives describe. Those of events and aggregates are reported and
 * left out. Returns false after reporting an error.
 */
bool metrics_find(struct metrics *m, const struct input *input, bool mean);
void metrics_done(struct metrics *m);

/* NULL: not copied. */
struct metric *metrics_get(const struct metrics *m, pmID pmid);

/* True for a counter that is widened. */
bool metric_is_widened(const struct metric *metric);

/*
 * observed - the values of each instance of each metric in the records between two samples.
 */

struct observed_inst {
	int inst;
	uint64_t sample;  /* the sample that it was last observed for */
	uint64_t stretch; /* the interval between two marks; counters are followed within one */
	uint32_t raw;     /* a counter that is widened: the last value, and */
	int64_t whole;    /* the same value with the wraps added */
	double sum;       /* sum of the numbers observed for the sample */
	uint64_t count;
	struct observed_inst *next; /* next instance of the metric */
};

struct observed {
	struct hash insts;
	struct arena mem;
	uint64_t sample;  /* the next sample, from 1 */
	uint64_t stretch; /* the current interval between marks, from 1 */
};

void observed_begin(struct observed *o);
void observed_done(struct observed *o);

/* Adds a value set of a record. Returns 0 or -ENOMEM. */
int observed_add(struct observed *o, struct metric *metric, const pmValueSet *set);

/* Adds a mark: counters before it say nothing about those after it. */
void observed_mark(struct observed *o);

/* A sample was taken: the next values are for the next one. */
void observed_next(struct observed *o);

/*
 * sample - all metrics at one point in time, in the form in which they are written.
 */

struct sample {
	const struct input *input;
	const struct metrics *metrics;
	const struct observed *observed;
	struct timespec interval;
	int again; /* a second context, for counters that wrap; -1: none yet */

	struct timespec when; /* time of the record */
	struct timespec at;   /* time of the values: as `when`, but not before the archive begins */
	pmValueSet **sets;    /* the sets and their values are valid until the next sample */
	uint32_t n;

	pmHighResResult *values, *wrapped;
	struct arena mem;
};

/* Begins with the time of the first sample. Returns 0 or an error. */
int sample_begin(struct sample *s, const struct timespec *first);
void sample_end(struct sample *s);

/* Advances to the time of the next sample. */
void sample_next(struct sample *s);

/*
 * Makes the sample of the current time, after the observations for it. Metrics without a value are
 * in it; those whose value comes from an observation for an earlier sample are not. Returns 0 or an
 * error; PM_ERR_EOL at the end.
 */
int sample_take(struct sample *s);

/*
 * reduce - the pass over the window: observes the records between two samples, copies marks, and
 * writes a record for each sample.
 */

/*
 * Writes the new archive. Returns false after reporting an error; the records before damage have
 * been written then.
 */
bool reduce_run(const struct options *o, const struct input *input, const struct metrics *metrics,
		const struct window *window);

#endif
