/*
 * metric - the metrics of a report, with their columns and the values of the last fetch.
 */
#ifndef PMREP_METRIC_H
#define PMREP_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/pmrep/filter.h"
#include "tools/pmrep/settings.h"
#include "tools/pmrep/spec.h"

/* An instance that has a column from the start. */
struct column {
	int inst;
	char *name;   /* NULL: the metric has no instances */
	char *labels; /* with --include-labels, as printed */
};

struct value {
	int inst;
	const char *name; /* valid until the next fetch; NULL: the metric has no instances */
	pmAtomValue atom;
};

struct metric {
	char *name;
	pmID pmid;
	pmDesc desc;
	char *label;
	char *unit;   /* as printed */
	char *labels; /* with --include-labels, as printed */
	int type;     /* PM_TYPE_* of the values */
	int width;
	int precision;
	int limit; /* 0: none */
	struct filter filter;
	struct column *columns;
	int n_columns;

	/* Written by the fetch group: */
	unsigned int room, num;
	int sts;
	int *insts, *stss;
	char **names;
	pmAtomValue *atoms;

	/* The values that are reported, in the order of the source. */
	struct value *values;
	int n_values;
};

struct metrics {
	pmFG group;
	struct timespec stamp; /* of the last fetch */
	struct metric *list;
	size_t n;
};

/*
 * Finds the metrics in the group's context and adds them to the group. Returns 0, or an error after
 * reporting it. The contents are freed with metrics_done, also after an error.
 */
int metrics_find(struct metrics *metrics, pmFG group, const struct specs *specs,
		 const struct settings *settings);

/*
 * Fetches, and finds the values that are reported. Returns the status of the fetch, or its error.
 */
int metrics_fetch(struct metrics *metrics, const struct settings *settings);

/* The number of columns of all metrics. */
int metrics_columns(const struct metrics *metrics);

/* The value of an instance, or NULL. */
const struct value *metric_value(const struct metric *m, int inst);

/* Sets the labels of the metric, and of each of its columns. */
void label_find(struct metric *m);

/* The labels of an instance, as printed. */
const char *label_of(const struct metric *m, int inst);

/* True if values are numbers. */
bool metric_is_number(const struct metric *m);

/* The value as a number. */
double metric_number(const struct metric *m, const pmAtomValue *atom);

void metrics_done(struct metrics *metrics);

#endif
