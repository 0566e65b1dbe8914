/*
 * report - the state of a run of pmrep, and the files that print it.
 */
#ifndef PMREP_REPORT_H
#define PMREP_REPORT_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/pmrep/metric.h"
#include "tools/pmrep/settings.h"
#include "tools/pmrep/spec.h"

struct report;

/* How a report is printed. */
struct output {
	const char *name; /* of -o */
	void (*begin)(struct report *r);
	/* Prints one sample; may print the header first. */
	void (*sample)(struct report *r);
	void (*end)(struct report *r); /* after the last sample; may be NULL */
};

/* A column of the output, and an instance of a metric. */
struct place {
	const struct metric *metric;
	int inst;
	const char *name; /* of the instance, or NULL; borrowed */
};

struct places {
	struct place *list;
	size_t n, room;
};

/* The last value of a discrete metric in an archive that is written. */
struct written {
	const struct metric *metric;
	int inst;
	char *text; /* owned */
};

struct report {
	pmOptions pm;
	struct settings settings;
	struct specs specs;
	bool check;         /* -C */
	const char *config; /* -c */
	const char *file;   /* -F */
	const struct output *output;

	struct metrics metrics;
	bool archive;
	const char *source; /* as given; for the extended header */
	char host[MAXHOSTNAMELEN];
	struct timespec interval;
	int samples;          /* 0: no limit */
	int lines;            /* printed since the last header */
	struct timespec last; /* the time of the last sample */
	bool sampled;         /* there was one */
	struct places header; /* the columns of the last header */
	bool titled;          /* a header was printed */
	bool failed;          /* the output cannot be written; reported */
	struct written *written;
	size_t n_written;
};

/*
 * options
 */

/*
 * Reads the command line and the configuration. Returns true if the program is to go on; otherwise
 * a message has been printed and *ret_status is the exit status.
 */
bool options_parse(struct report *r, int argc, char **argv, int *ret_status);

/*
 * sample - the loop over time.
 */

/* Prints all samples. Returns the exit status. */
int sample_run(struct report *r);

/*
 * rank - the values that are highest or lowest, and those beyond a limit.
 */

/*
 * Checks the metrics that sort and that are predicates. Returns 0, or an error after reporting it.
 */
int rank_check(const struct report *r);

/* Removes the values that the settings do not report. */
void rank_values(struct report *r);

/* Notes the values of a sample for an overall ranking. */
void rank_collect(struct report *r);

/* Prints the overall ranking. */
void rank_print(struct report *r);

/*
 * text - times and values as text.
 */

/* Room for the text of a value in a column. */
#define TEXT_MAX 4096

/* The text of a value with that width; 0: any width. Returns buf. */
const char *text_value(const struct report *r, const struct metric *m, const pmAtomValue *atom,
		       int width, char *buf, size_t size);

/* The time of the last sample in the format of the settings, or "" without a time. Returns buf. */
const char *text_stamp(const struct report *r, char *buf, size_t size);

/* The distance of a time zone from UTC, "UTC+5:30". Returns buf. */
const char *text_zone(const struct report *r, char *buf, size_t size);

/*
 * header - the extended header, and the columns of a header.
 */

void header_print_extended(struct report *r, const char *prefix);

/* Adds all columns that exist from the start. */
void places_add_all(struct places *places, const struct metrics *metrics);

/* Adds those that have a value now. */
void places_add_current(struct places *places, const struct metrics *metrics);

bool places_equal(const struct places *a, const struct places *b);

void places_done(struct places *places);

/*
 * table - text for a terminal; csv - comma-separated values; json - an object a sample; archive - a
 * record a sample.
 */
extern const struct output table_output, csv_output, json_output, archive_output;

#endif
