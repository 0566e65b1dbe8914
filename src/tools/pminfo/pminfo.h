/*
 * pminfo - shared declarations of the tool's files: options, a metric, and the parts of its report.
 */
#ifndef PMINFO_PMINFO_H
#define PMINFO_PMINFO_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct jsontext;

/*
 * options - the command line of pminfo.
 */

/* The parts of a metric's report, one bit an option. */
enum show {
	SHOW_PMID = 1u << 0,          /* -m */
	SHOW_FULL_PMID = 1u << 1,     /* -M */
	SHOW_ONELINE = 1u << 2,       /* -t */
	SHOW_DESC = 1u << 3,          /* -d */
	SHOW_FULL_INDOM = 1u << 4,    /* -I */
	SHOW_SERIES = 1u << 5,        /* -s */
	SHOW_LABELS = 1u << 6,        /* -l */
	SHOW_HELP = 1u << 7,          /* -T */
	SHOW_VALUES = 1u << 8,        /* -f, and with -F and -x */
	SHOW_ALL_INSTANCES = 1u << 9, /* -F */
	SHOW_EVENTS = 1u << 10,       /* -x */
	SHOW_FAILURES = 1u << 11,     /* -v: only this, whatever other options are given */
};

struct options {
	pmOptions pm;      /* the standard options; pm.optind is the first argument */
	unsigned int show; /* enum show */
	int batch;         /* metrics requested at a time, at least 1 */
	bool json;
	struct jsontext *document; /* with --json; else NULL */
};

/*
 * metric - the data of one metric while it is reported.
 */

struct metric {
	const char *name;
	pmID pmid;
	pmDesc desc;              /* all zero if no step of the report needs it */
	const pmValueSet *values; /* NULL if none were requested */
};

/*
 * label - the labels of metrics, instances and instance domains.
 *
 * Labels come from a hierarchy of levels. Each level has an identifier (a domain, an instance
 * domain, a cluster, a metric). If two levels have the same label, the lower one wins.
 */

/*
 * Prints the merged labels of a metric, of its instances, or of an instance domain, if it has any.
 */
void label_print_metric(const struct metric *m, const struct options *o);
void label_print_instances(const struct metric *m, const struct options *o);
void label_print_indom(pmInDom indom);

/* The levels whose labels are merged: a set of PM_LABEL_CONTEXT ... PM_LABEL_INSTANCES. */
#define LABEL_OF_INDOM  (PM_LABEL_CONTEXT | PM_LABEL_DOMAIN | PM_LABEL_INDOM)
#define LABEL_OF_METRIC (LABEL_OF_INDOM | PM_LABEL_CLUSTER | PM_LABEL_ITEM)

/*
 * Merges the labels of the levels in `levels` that apply to this metric, and those of one instance
 * if `instance` is not NULL, as JSON into buf of PM_MAXLABELJSONLEN bytes. filter: NULL, or as for
 * pmMergeLabelSets. Returns the length, 0 if there are none, or an error.
 */
int label_merge(pmID pmid, pmInDom indom, unsigned int levels, pmLabelSet *instance,
		int (*filter)(const pmLabel *, const char *, void *), char *buf);

/*
 * Calls print for each instance of the metric's domain, with the instance's own labels and arg. If
 * the agent has no labels of any instance, the set is NULL.
 */
void label_each_instance(const struct metric *m,
			 void (*print)(const struct metric *m, int inst, pmLabelSet *set,
				       void *arg),
			 void *arg);

/*
 * value - prints the values of a metric.
 */

/*
 * Prints all values, one a line, or the reason why there are none; event records with their
 * parameters.
 */
void value_print(const struct metric *m, const struct options *o);

/*
 * Fetches the values of all instances of the domain, which the request names, because the agent
 * requires it. Returns a positive number, 0 if there are no instances, or an error.
 */
int value_fetch_explicit(const struct metric *m, pmResult **ret_result);

/*
 * sha1 - the secure hash algorithm 1 (FIPS 180-4, RFC 3174): for names of series, not for secrets.
 */

#define SHA1_HEX_LEN 41

/* Writes the hash of len bytes as 40 lower-case hexadecimal digits and a NUL. */
void sha1_hex(const void *bytes, size_t len, char hex[SHA1_HEX_LEN]);

/*
 * series - the identifiers of the time series of metrics: hashes of their metadata.
 */

/* The identifiers of the source, of a metric, and of an instance with its own labels. */
void series_of_source(const struct metric *m, char hex[SHA1_HEX_LEN]);
void series_of_metric(const struct metric *m, char hex[SHA1_HEX_LEN]);
void series_of_instance(const struct metric *m, int inst, pmLabelSet *set, char hex[SHA1_HEX_LEN]);

/* Prints the identifiers of the source and of the metric, or those of the instances. */
void series_print_metric(const struct metric *m, const struct options *o);
void series_print_instances(const struct metric *m, const struct options *o);

/*
 * report - what pminfo prints of one metric, in a fixed order.
 */

/* The same for an instance domain: its number, texts and labels. */
void report_indom(pmInDom indom, const struct options *o);

/*
 * document - the same as one JSON document.
 */

/*
 * Writes a metric, or its error if sts is negative. With SHOW_FAILURES, writes nothing for a metric
 * with values.
 */
void document_metric(const struct metric *m, int sts, const struct options *o);
void document_indom(pmInDom indom, const struct options *o);

/*
 * batch - requests the identifiers, descriptions and values of several metrics at a time.
 */

/*
 * Reports n metrics in their order. An error of one of them is printed in its place and does not
 * affect the others.
 */
void batch_report(const struct options *o, char *const *names, size_t n);

#endif
