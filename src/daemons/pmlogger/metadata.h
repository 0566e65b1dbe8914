/*
 * metadata - which metadata a record needs before it, and its way into the archive
 * (docs/spec/logger.md A5, archive.md 7.5).
 *
 * metadata_questions lists it in the order in which it will be written; the worker finds what only
 * the collector knows; metadata_write (metadata_write.c) gives it to the writer. A metric whose
 * instances are the same as in the record before costs one comparison of memory.
 */
#ifndef PMLOGGER_METADATA_H
#define PMLOGGER_METADATA_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"

struct archive_writer;
struct fetch_group;
struct meta_query;
struct meta_query_item;
struct logging_metric;
struct logging_task;

struct metadata {
	struct hash asked;  /* labels and texts that need not be asked for again */
	struct hash indoms; /* versions of observations */
	unsigned int epoch; /* of the archive */
	uint64_t serial;    /* of the result */
};

void metadata_init(struct metadata *md);
void metadata_done(struct metadata *md);

/* A new archive begins: it has none. */
void metadata_restart(struct metadata *md);

/*
 * Adds to list what a result of this group needs. labels_changed: all labels are to be asked
 * for again. 0 or -ENOMEM.
 */
int metadata_questions(struct metadata *md, const struct archive_writer *w, struct fetch_group *g,
		       const pmHighResResult *result, bool labels_changed, struct meta_query *list);

/*
 * Adds to list what records with these metrics will need, but for instances: it is requested ahead,
 * and counts as known only when metadata_known has been called for the written answers. 0 or
 * -ENOMEM.
 */
int metadata_ahead(struct metadata *md, const struct archive_writer *w,
		   struct logging_metric *const *metrics, size_t n, struct meta_query *list);
void metadata_known(struct metadata *md, const struct meta_query *list);

/* The list was not answered: it is to be asked again. */
void metadata_forget(struct metadata *md, const struct meta_query *list);

/* Queues the list, answered, for the record of this time. 0, -ENOMEM; what the archive refuses is
 * left out and said once a kind. */
int metadata_write(struct metadata *md, struct archive_writer *w, const struct meta_query *list,
		   const struct timespec *stamp);

/*
 * Remembers what the record holds: instances of each metric, here and as history of the task, and
 * that metadata is there. The result is that of the last metadata_questions for the group, whose
 * comparison of instances is not made again. 0 or -ENOMEM.
 */
int metadata_remember(struct metadata *md, struct fetch_group *g, const struct logging_task *task,
		      const pmHighResResult *result);

/*
 * ---- for metadata_write.c ----
 */

struct metadata_domain {
	pmInDom indom;
	unsigned int version; /* counts written observations */
	uint64_t asked_in;    /* serial of the result */
	uint64_t labels_in;   /* the same, of the labels of its instances */
};

/* The entry of a domain, made if there was none; NULL when out of memory. */
struct metadata_domain *metadata_domain_of(struct metadata *md, pmInDom indom);

/* Labels have an answer: losing the collector does not make them a new question. */
void metadata_answered(struct metadata *md, const struct meta_query_item *item);

/* A question was not answered: it is to be asked again. */
void metadata_forget_item(struct metadata *md, const struct meta_query_item *item);

/* An archive has a derived metric as an ordinary one (archive.md 6.4). */
pmID metadata_pmid(pmID pmid);

#endif
