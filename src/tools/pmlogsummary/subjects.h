/*
 * subjects - the metrics that are summed up, in the order of the name space, each with the series of
 * its instances in the order in which they came.
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
	struct inst_set insts; /* those that are summed up */
	struct series **list; /* owned, and what it points to */
	size_t n, room;
	struct hash by_inst;
	size_t next; /* the series that comes next, if instances come as they did before */
};

struct subjects {
	struct subject *list; /* owned */
	size_t n, room;
	struct hash by_pmid;
	struct archive_meta *meta;
	bool verbose; /* metrics without a descriptor are reported */
	struct hash unknown; /* those that were */
};

/*
 * The numeric metrics of the words, each a name or NAME[INSTANCE,...], or all metrics; a word that is
 * wrong, or whose name is not found, is reported. Out of memory: exits.
 */
void subjects_find(struct subjects *s, struct archive_meta *meta, char **words, int n);
void subjects_done(struct subjects *s);

/* NULL: it is none of them. */
struct subject *subjects_get(const struct subjects *s, pmID pmid);

/* The series of an instance, a new one if there is none yet. */
struct series *subject_series(struct subject *subject, int inst);

#endif
