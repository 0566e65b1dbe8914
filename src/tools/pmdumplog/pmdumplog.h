/*
 * pmdumplog - shared declarations of the tool's files: options, metrics, values, and the sections
 * of the output.
 */
#ifndef PMDUMPLOG_PMDUMPLOG_H
#define PMDUMPLOG_PMDUMPLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"
#include "tools/archive/recording.h"
#include "tools/archive/window.h"

struct archive_meta;
struct metrics;
struct wire_value;

/*
 * options - the command line of pmdumplog.
 */

/* The sections of the output. */
enum section {
	SECTION_DESCS = 1u << 0,
	SECTION_LABELS = 1u << 1,
	SECTION_TEXTS = 1u << 2,
	SECTION_INDOM_RECORDS = 1u << 3, /* -I: the records on disk */
	SECTION_INDOMS = 1u << 4,
	SECTION_HEADING = 1u << 5,
	SECTION_HEADING_MORE = 1u << 6,
	SECTION_RECORDS = 1u << 7,
	SECTION_INDEX = 1u << 8,
};

struct options {
	pmOptions pm;
	unsigned int sections;
	bool marks; /* -M: also if metrics were chosen */
	bool sizes;
	bool reverse;
	int detail;      /* number of -x options */
	const char *raw; /* -v: the only file to dump */
	const char *archive;
	char **metrics; /* names on the command line */
	int nmetrics;
};

/*
 * metrics - metrics as the sections print them: description and names, formatted once.
 */

struct metric {
	pmID pmid;
	int sts;     /* 0, or the error why there is no description */
	pmDesc desc; /* a description of type UNKNOWN without instances, if there is none */
	char *text;  /* owned: "29.0.6 (sample.dupnames.bin or sample.bin)" */
	size_t text_len;
	size_t names_at; /* in text: offset of the names, without the bracket and the last byte */
};

/*
 * Uses the metadata of the archive; with use_namespace, the names of the loaded name space. Exits
 * if out of memory.
 */
struct metrics *metrics_new(const struct archive_meta *meta, bool use_namespace);
void metrics_free(struct metrics *m);

/* Never NULL: a metric that the archive does not have is <noname>. Takes constant time. */
const struct metric *metrics_get(struct metrics *m, pmID pmid);

/*
 * dump - the shared data of all sections of the output.
 */

struct dump {
	const struct options *options;
	struct recording recording;
	struct window window;
	struct metrics *metrics; /* names and descriptions */
};

/*
 * chosen - the metrics that the command line names; none: all metrics.
 */

struct chosen {
	pmID *pmids; /* owned; by argument, then in the order of the name space */
	size_t n, room;
	struct hash seen; /* their identifiers */
	bool all;
};

/*
 * Looks up names in the archive, or with use_namespace in the loaded name space. A name that is not
 * found is reported and skipped. Returns false after reporting that there is nothing to dump.
 */
bool chosen_find(const struct archive_meta *meta, bool use_namespace, char **names, int n,
		 struct chosen *ret_chosen);

void chosen_done(struct chosen *c);

/*
 * when - the time before a record, in the precision of the archive and with the details that -x
 * requests.
 */

/* The time of a record, with the digits of the archive's version. */
void when_print(const struct dump *d, const struct timespec *when);

/*
 * The time of an event. As in 6.0.3, a high-resolution event never has a date, whatever -x says,
 * and no event has the seconds of the epoch.
 */
void when_print_event(const struct dump *d, const struct timespec *when, bool highres);

/*
 * value - prints a value as pmPrintValue does with a width of 1, directly from the bytes of a
 * record.
 */

/* Prints to standard output; type is that of the metric. Exits if out of memory. */
void value_print(int type, const struct wire_value *value);

/* Prints a whole number to standard output. */
void value_print_int(int64_t v);

/*
 * event - the records in the values of event metrics (docs/spec/archive.md 6.5).
 */

/*
 * Prints " 5 (and 7 missed) event records" and the lines that follow; the caller has printed the
 * name of the value.
 */
void event_print(const struct dump *d, bool highres, const struct wire_value *value);

/*
 * descs - section -d: the descriptions of all metrics, ordered by metric identifier.
 */

void descs_print(const struct dump *d);

/*
 * labels - section -e: all label sets, ordered by time, level and identifier.
 */

/* Returns 0 or an error. */
int labels_print(const struct dump *d);

/*
 * texts - section -h: the help texts of all metrics and instance domains, ordered by identifier.
 */

/* Returns 0 or an error. */
int texts_print(const struct dump *d);

/*
 * indoms - sections -i and -I: instance domains over time, and as they are on disk.
 */

/*
 * Prints all domains in ascending order, each with its observations in the order of time. Returns 0
 * or an error.
 */
int indoms_print(const struct dump *d);

/* Prints the records in the order of the file. Returns 0 or an error. */
int indoms_print_records(const struct dump *d);

/*
 * index - section -t: the temporal index, and its errors.
 */

/* Returns 0, or an error if the index cannot be read. */
int index_print(const struct dump *d);

/*
 * raw - section -v: the records of any file of an archive in hexadecimal.
 */

/* Returns false after reporting that the file cannot be read. */
bool raw_print(const char *path);

/*
 * records - section -m: the data records of the window, with names, forward or backward.
 */

/* Returns 0 or an error. */
int records_print(const struct dump *d, const struct chosen *chosen);

#endif
