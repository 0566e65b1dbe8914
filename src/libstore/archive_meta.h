/*
 * archive_meta - the metadata of the .meta files of one or several archives: metrics, names,
 * instance domains over time, labels over time, texts (docs/spec/archive.md 7, 10.1, 10.5).
 *
 * Loading indexes the frames and decodes descriptors and names; instance domains, labels and texts
 * are decoded at their first use. Several archives add to one: descriptors must not conflict.
 * Returned pointers are valid until the next load or the end of the archive_meta.
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
 * Adds the records of a .meta of this version (in its label), from offset on: its label's length,
 * or the offset that an earlier load of the same growing member returned. *ret_offset is the end of
 * the last whole record: a record that is torn, by a crash or because it is being written, is left
 * out. source is returned in observations: the caller's number of the archive. 0; PM_ERR_LOGREC
 * (also if no record describes a metric), PM_ERR_RECTYPE, PM_ERR_LOGCHANGE*, -ENOMEM, -errno.
 * Records that were added before a failure stay.
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

/* An instance domain from stamp on: ascending ids, names without a terminating NUL. */
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
 * archives and equal ones of one moment once. How many; 0 if it is unknown (PM_ERR_INDOM_LOG);
 * PM_ERR_LOGREC; -ENOMEM. Decoded once, kept.
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
 * with PM_ERR_TEXT or PM_ERR_NOTHOST in *ret_err, as in docs/spec/archive.md 7.4. */
const char *archive_meta_text(struct archive_meta *meta, int type, uint32_t ident, int *ret_err);

#endif
