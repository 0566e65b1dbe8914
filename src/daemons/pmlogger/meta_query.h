/*
 * meta_query - what an archive needs besides values: labels, texts, instance domains.
 *
 * A job with a list of questions. One that the collector has no answer to has err < 0 or no
 * answers; the job fails only when the connection is lost.
 */
#ifndef PMLOGGER_META_QUERY_H
#define PMLOGGER_META_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/worker.h"

enum meta_query_kind {
	META_QUERY_LABELS,
	META_QUERY_TEXT,
	META_QUERY_INDOM,
	META_QUERY_DESC,
	META_QUERY_KNOWN, /* nothing to be asked: it keeps a place in the order */
};

struct meta_query_item {
	enum meta_query_kind kind;
	int type;       /* PM_LABEL_…, or PM_TEXT_… bits */
	uint32_t ident; /* a domain, an instance domain or a pmid */
	/* The result. */
	int err;
	int n;            /* label sets, instances, names */
	pmLabelSet *sets; /* pmFreeLabelSets */
	char *text;       /* malloc'd */
	int *insts;       /* malloc'd; as they came */
	char **names;     /* malloc'd, one block */
	pmDesc desc;
	const void *known; /* the asker's */
};

struct meta_query {
	struct worker_job job;
	size_t n, room;
	struct meta_query_item *items;
	size_t nasked; /* items that are not KNOWN */
	size_t next;   /* the first one that was not asked yet */
	bool lost;
};

/* Adds a question; the item, until the next one; NULL when out of memory. */
struct meta_query_item *meta_query_add(struct meta_query *meta, enum meta_query_kind kind, int type,
				       uint32_t ident);

/* A job: asks some of the questions, so that others get the thread in between. 1 while there are
 * more: it is to be posted again; 0; the error when the connection is lost. */
int meta_query_run(struct worker_job *job, struct worker *worker);

/*
 * Answers at most max questions from next on, so that others get the thread in between; of these,
 * descriptors with one request, and their names only if they are wanted. 1 while there are more; 0;
 * the error when the connection is lost.
 */
int meta_query_some(struct meta_query *meta, struct worker *worker, size_t max, bool names);

/* Frees questions and answers; the list is empty then. */
void meta_query_done(struct meta_query *meta);

#endif
