/*
 * pmlogrewrite - shared declarations of the tool's files: options, the joined input, values,
 * labels, and writing the new archive.
 */
#ifndef PMLOGREWRITE_PMLOGREWRITE_H
#define PMLOGREWRITE_PMLOGREWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libvalue/wire_form.h"

struct archive_writer;
struct buffer;
struct labels;
struct meta_label;
struct plan;
struct plan_metric;
struct result_view;

/*
 * options - the command line of pmlogrewrite.
 */

struct options {
	pmOptions pm;
	char **configs; /* owned: the configuration files, those of a folder sorted by name */
	size_t nconfigs;
	bool check;     /* -C */
	bool desperate; /* -d */
	bool in_place;  /* -i */
	bool quick;     /* -q */
	bool rescale;   /* -s */
	bool verbose;
	bool warn;
	int version; /* of the output; 0: the version of the input */
	const char *input;
	const char *output; /* NULL: in place */
};

/*
 * join - several archives as one: a temporary archive next to the output, with a mark between the
 * inputs, so that all rules see one archive. It exists while the output is written.
 */

/* True if a name means several archives: a list with commas, a folder. */
bool join_is_wanted(const char *names);

/*
 * Makes the archive; *ret_base is its name, for join_drop. Returns 0; errors of opening
 * (PM_ERR_LOGHOST and others), of reading and of writing; PM_ERR_LOGOVERLAP; -EINVAL for metrics
 * that differ.
 */
int join_make(const char *names, const char *output, char **ret_base);

/* Removes it. NULL is allowed. */
void join_drop(char *base);

/*
 * values - rewrites the values of a record according to a plan.
 */

struct values {
	const struct plan *plan;
	struct arena mem; /* memory of the record that was rewritten last */
	bool any;         /* the values of some metric change */
	bool doubled;     /* a record had two metrics that became one */
	/* After an error: the value that could not be converted. */
	const struct plan_metric *metric;
	int from, to;
};

void values_begin(struct values *v, const struct plan *plan);
void values_end(struct values *v);

/* True if a record has anything to be changed. */
bool values_touch(const struct values *v, const struct result_view *view);

/*
 * Rewrites the sets of a record: *ret_sets, valid until the next call and no longer than the
 * result. Returns their number; the error of a conversion, with details in v; -ENOMEM.
 */
int values_rewrite(struct values *v, const pmHighResResult *in, pmValueSet ***ret_sets);

/*
 * numbers - the numbers of a set, in the memory of the rewritten record.
 *
 * Each function returns 0 or more, or an error as values_rewrite does.
 */

/* Scales and converts a number of a metric according to its plan. */
int numbers_convert(struct values *v, const struct plan_metric *m, const pmAtomValue *in,
		    pmAtomValue *ret);

/* Converts all numbers of a set. */
int numbers_change(struct values *v, const struct plan_metric *m, pmValueSet *set);

/* Leaves the value in a set that the metric's plan picks, or computes it from all of them. */
int numbers_pick(struct values *v, const struct plan_metric *m, pmValueSet *set);

/*
 * labels - the labels of the new archive.
 *
 * A label belongs to a subject (the context, a domain, a cluster, ...) and, for instances, to one
 * of the subject's instances. Labels that the rules move to a subject are merged with the subject's
 * own, whenever one of them changes.
 */

/* Exits if out of memory. */
struct labels *labels_new(const struct plan *plan);
void labels_free(struct labels *l);

/* Writes new labels at the beginning of the archive. Returns 0 or an error. */
int labels_begin(struct labels *l, struct archive_writer *w, const struct timespec *when);

/* Writes the rewritten contents of a label record. Returns 0 or an error. */
int labels_put(struct labels *l, struct archive_writer *w, const struct meta_label *body);

/*
 * label_record - the label record of a subject of the new archive.
 */

/* A label, or (without a name) an empty set of labels. */
struct label_item {
	uint32_t ident; /* the new subject */
	int inst;
	struct wire_str name, value;
	uint8_t flags;
	bool changed; /* it replaces one of its name that was not changed */
};

struct label_record {
	int type;
	uint32_t ident;
	const struct timespec *when;
};

/*
 * Writes the record that is made of n items; of several with the same instance and name, the last
 * one that changed is used, else the last one. Without any item nothing is written, or, if
 * even_empty, an empty set. json is memory for the texts. Returns 1 if a record was written, 0, or
 * an error.
 */
int label_record_write(const struct label_record *record, struct archive_writer *w,
		       struct label_item *items, size_t n, bool even_empty, struct buffer *json);

/*
 * rewrite - writes the records of an archive to a new one, changed by a plan.
 */

/*
 * Makes the archive of this base. Returns false after reporting an error; then its files are
 * removed, or kept if desperate.
 */
bool rewrite_run(const struct options *o, struct plan *plan, const char *name, const char *base);

#endif
