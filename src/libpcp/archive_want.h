/*
 * archive_want - the metrics of a fetch, found by their ids in the records that pass.
 *
 * Records of one kind have their sets in one order, and a caller that fetches all of them asks in
 * that order: so the metric after the one found last is tried before the table is.
 */
#ifndef LIBPCP_ARCHIVE_WANT_H
#define LIBPCP_ARCHIVE_WANT_H

#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/result_view.h"

struct archive_want {
	pmID *pmids;
	size_t n;
	unsigned int changes; /* how often the list was another one */
	uint32_t *first;      /* for a metric that is asked for twice, the index of the first one */
	uint32_t *slots;      /* hash table of indexes + 1; 0: free */
	size_t mask;
	size_t guess;
	/* For who fetches: what was found of each, and how many values. */
	struct vset_view *sets;
	int32_t *counts;
};

/* A list of metrics; the same one again costs a comparison. 0 or -ENOMEM. */
int archive_want_set(struct archive_want *want, size_t n, const pmID *pmids);
void archive_want_done(struct archive_want *want);

/* The first index of a metric in the list; -1: it is not wanted. */
ptrdiff_t archive_want_find(struct archive_want *want, pmID pmid);

static inline size_t archive_want_first(const struct archive_want *want, size_t i)
{
	return want->first[i];
}

#endif
