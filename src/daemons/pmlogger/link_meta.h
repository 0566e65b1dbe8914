/*
 * link_meta - what an archive needs besides values: labels, texts, instance domains.
 *
 * A job with a list of questions. One that the collector has no answer to has err < 0 or no
 * answers; the job fails only when the connection is lost.
 */
#ifndef PMLOGGER_LINK_META_H
#define PMLOGGER_LINK_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/pmcd_link.h"

enum link_meta_kind {
	LINK_META_LABELS,
	LINK_META_TEXT,
	LINK_META_INDOM,
	LINK_META_DESC,
	LINK_META_KNOWN, /* nothing to be asked: it keeps a place in the order */
};

struct link_meta_item {
	enum link_meta_kind kind;
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

struct link_meta {
	struct link_job job;
	size_t n, room;
	struct link_meta_item *items;
	size_t nasked; /* items that are not KNOWN */
	size_t next;   /* the first one that was not asked yet */
	bool lost;
};

/* Adds a question; the item, until the next one; NULL when out of memory. */
struct link_meta_item *link_meta_add(struct link_meta *meta, enum link_meta_kind kind, int type,
				     uint32_t ident);

/* A job: asks some of the questions, so that others get the thread in between. 1 while there are
 * more: it is to be posted again; 0; the error when the connection is lost. */
int link_meta_run(struct link_job *job, struct pmcd_link *link);

/*
 * Answers at most max questions from next on, so that others get the thread in between; of these,
 * descriptors with one request, and their names only if they are wanted. 1 while there are more; 0;
 * the error when the connection is lost.
 */
int link_meta_some(struct link_meta *meta, struct pmcd_link *link, size_t max, bool names);

/* Frees questions and answers; the list is empty then. */
void link_meta_done(struct link_meta *meta);

#endif
