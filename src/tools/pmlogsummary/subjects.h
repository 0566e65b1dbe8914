/*
 * subjects - the metrics that are summarised, in the order of the name space, each with the series
 * of its instances in the order of their first values.
 */
#ifndef PMLOGSUMMARY_SUBJECTS_H
#define PMLOGSUMMARY_SUBJECTS_H

#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"
#include "tools/archive/inst_set.h"
#include "tools/pmlogsummary/series.h"

struct archive_meta;

struct subject {
	const char *name; /* the first of its names */
	pmDesc desc;
	struct series_kind kind;
	struct inst_set insts; /* the chosen instances */
	struct series **list; /* owned, as are its elements */
	size_t n, room;
	struct hash by_inst;
	size_t next; /* the index of the series that is expected next, if instances keep their order */
};

struct subjects {
	struct subject *list; /* owned */
	size_t n, room;
	struct hash by_pmid;
	struct archive_meta *meta;
	bool verbose; /* report metrics without a descriptor */
	struct hash unknown; /* metrics that have been reported */
};

/*
 * Adds the numeric metrics of the words, each a name or NAME[INSTANCE,...], or all metrics. A word
 * that is wrong, or whose name is not found, is reported. Exits if out of memory.
 */
void subjects_find(struct subjects *s, struct archive_meta *meta, char **words, int n);
void subjects_done(struct subjects *s);

/* NULL: not one of them. */
struct subject *subjects_get(const struct subjects *s, pmID pmid);

/* The series of an instance, which is added if it does not exist. */
struct series *subject_series(struct subject *subject, int inst);

#endif
