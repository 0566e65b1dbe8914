/*
 * metadata - the records of a .meta: the walk over them, where labels and texts are, and copying
 * them.
 */
#ifndef ARCHIVE_METADATA_H
#define ARCHIVE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/meta.h"

struct archive_writer;
struct member;
struct metadata;
struct recording;

/*
 * meta_walk - the records of a .meta in the order of the file.
 */

struct meta_walk {
	struct member *member;
	uint64_t offset; /* offset of the next record */
	uint64_t at;     /* offset of the record that was returned last */
	struct arena mem;
};

/* Begins after the label of a .meta of this version. */
void meta_walk_begin(struct meta_walk *w, struct member *member, int version);
void meta_walk_end(struct meta_walk *w);

/*
 * Reads the next record. Returns 1, and its body is valid until the next call; 0 at the end, also
 * at a torn last record; PM_ERR_LOGREC, PM_ERR_RECTYPE, -ENOMEM. Only records of the wanted types
 * (bits 1 << type) are decoded; others are skipped.
 */
int meta_walk_next(struct meta_walk *w, unsigned int wanted, enum meta_type *ret_type,
		   union meta_body *ret_body);

/*
 * Reads the record at an offset that a walk has returned in its field `at`. The position of the
 * walk does not change. Returns 0 or a negative error.
 */
int meta_walk_at(struct meta_walk *w, uint64_t offset, enum meta_type *ret_type,
		 union meta_body *ret_body);

/*
 * catalog - the places of the descriptors, labels and texts of each subject in a .meta, over time.
 *
 * The records are copied as they are stored, so only their places are kept.
 */

struct catalog_entry {
	struct timespec stamp; /* 0 except for labels: the record is valid from the beginning */
	uint64_t offset;
};

/* All records of one level and identifier, or of one text; in ascending order of time. */
struct catalog_subject {
	int noun; /* META_DESC, META_LABEL or META_TEXT */
	int type;
	uint32_t ident;
	struct catalog_entry *entries; /* owned */
	size_t n, room;
	size_t at;       /* index of the first one after the current time */
	bool disordered; /* used during loading */
};

struct catalog {
	struct hash subjects;
	struct arena mem;
};

/* Reads the .meta once. Returns 0; PM_ERR_LOGREC, PM_ERR_RECTYPE, -ENOMEM. */
int catalog_load(struct catalog *c, struct member *meta, int version);
void catalog_done(struct catalog *c);

/* NULL: the archive has none. */
struct catalog_subject *catalog_desc(const struct catalog *c, pmID pmid);
struct catalog_subject *catalog_labels(const struct catalog *c, int type, uint32_t ident);
struct catalog_subject *catalog_text(const struct catalog *c, int type, uint32_t ident);

/*
 * Advances to a time, which must not decrease. Returns the entry that is valid then if it is
 * another one than before, else NULL.
 */
const struct catalog_entry *catalog_reach(struct catalog_subject *s, const struct timespec *when);

/*
 * metadata - the metadata of one input that a new archive needs before a record: descriptors,
 * instance domains, labels and texts, each written just before the first record that needs it, with
 * its time.
 */

/*
 * For a recording that stays open longer than the metadata; its .meta is read once. Returns 0 or an
 * error.
 */
int metadata_new(const struct recording *r, struct metadata **ret_metadata);
void metadata_free(struct metadata *m);

/* Writes the labels of the context before a record of this time. Returns 0 or an error. */
int metadata_begin(struct metadata *m, struct archive_writer *w, const struct timespec *when);

/* Writes the metadata of a value set in that record. */
int metadata_metric(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		    pmID pmid);

/*
 * The same for a caller that writes descriptors and observations itself: writes only labels and
 * texts.
 */
int metadata_about(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		   pmID pmid);

#endif
