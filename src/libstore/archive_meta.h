/*
 * archive_meta - what the .meta files of one or several archives say: metrics, names, instance
 * domains over time, labels over time, texts (docs/spec/archive.md 7, 10.1, 10.5).
 *
 * Loading indexes the frames and decodes descriptors and names; instance domains, labels and texts
 * are decoded when they are first asked for. Several archives add to one: descriptors must not
 * conflict. What is given out lives as long as the archive_meta and no load happens.
 */
#ifndef LIBSTORE_ARCHIVE_META_H
#define LIBSTORE_ARCHIVE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libvalue/wire_form.h"

struct archive_meta;
struct member;

/* Bytes that decoded metadata may take: a domain whose history needs more is -ENOMEM. */
#define ARCHIVE_META_DECODED_MAX ((size_t)2 << 30)

int archive_meta_new(struct archive_meta **ret_meta);
void archive_meta_free(struct archive_meta *meta);

/*
 * Adds the records of a .meta whose label says version, from offset on (its label's length, or what
 * an earlier load of the same member returned, to go on where a growing file ended). *ret_offset is
 * where the last whole record ended: what is torn behind it, by a crash or because it is being
 * written, is not there. source is given back in observations: the caller's number of
 * the archive. 0; PM_ERR_LOGREC (also where the whole of it describes no metric),
 * PM_ERR_RECTYPE, PM_ERR_LOGCHANGE*, -ENOMEM, -errno. What was added before
 * a failure stays.
 */
int archive_meta_load(struct archive_meta *meta, struct member *m, int version, int source,
		      uint64_t offset, uint64_t *ret_offset);

/* A metric: constant time. */
struct archive_metric {
	pmDesc desc;
	size_t nnames;
	const char *const *names; /* NUL-terminated; may be none if others had them first */
};

/* NULL: not in the archive (PM_ERR_PMID_LOG). */
const struct archive_metric *archive_meta_metric(const struct archive_meta *meta, pmID pmid);
/* The id of a full name; PM_ID_NULL if there is none. */
pmID archive_meta_pmid(const struct archive_meta *meta, const char *name);
/* All of them, in order of their first records; NULL-free, count in *ret_n. */
const struct archive_metric *const *archive_meta_metrics(const struct archive_meta *meta,
							 size_t *ret_n);

/* An instance domain as it was from stamp on: ascending ids, names without NUL behind them. */
struct archive_indom {
	struct timespec stamp;
	pmInDom indom;
	size_t n;
	const struct wire_inst *insts;
	bool delta; /* it was stored as one */
	int source;
};

/*
 * All observations of a domain, ascending in time, deltas applied, identical neighbours of two
 * archives and equal ones of one moment once. How many; 0 if it is unknown (PM_ERR_INDOM_LOG); PM_ERR_LOGREC; -ENOMEM. Decoded
 * once, kept.
 */
int archive_meta_indom(struct archive_meta *meta, pmInDom indom,
		       const struct archive_indom *const **ret_observations);

/* The newest observation not after when; NULL in *ret_indom if there is none then. */
int archive_meta_indom_at(struct archive_meta *meta, pmInDom indom, const struct timespec *when,
			  const struct archive_indom **ret_indom);

/* The union of all observations: ids ascending, each once with its newest name; NULL in *ret_indom
 * if there is none. Kept. */
int archive_meta_indom_union(struct archive_meta *meta, pmInDom indom,
			     const struct archive_indom **ret_indom);

/* In an observation: by id (constant or logarithmic), and by name (exact, else up to the first
 * blank; hashed when asked often). NULL, -1. */
const struct wire_inst *archive_indom_inst(const struct archive_indom *indom, int inst);
int archive_indom_lookup(const struct archive_indom *indom, const char *name);

/* Whether two observations have the same instances, of the same names. */
bool archive_indom_same(const struct archive_indom *a, const struct archive_indom *b);

/* All domains that have a record, ascending. */
size_t archive_meta_indoms(const struct archive_meta *meta, const pmInDom **ret_indoms);

/*
 * Label sets of one level at a time: malloc'd as pmGetInDomLabels gives them (pmFreeLabelSets). How
 * many (0: only later ones exist); PM_ERR_NOLABELS; -ENOMEM.
 */
int archive_meta_labels(struct archive_meta *meta, int type, uint32_t ident,
			const struct timespec *when, pmLabelSet **ret_sets);

/* A text (borrowed, NUL-terminated); type is one of ONELINE, HELP with one of PMID, INDOM. NULL
 * with PM_ERR_TEXT or PM_ERR_NOTHOST as docs/spec/archive.md 7.4 tells in *ret_err. */
const char *archive_meta_text(struct archive_meta *meta, int type, uint32_t ident, int *ret_err);

#endif
