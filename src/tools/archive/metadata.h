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
	uint64_t offset; /* of the next record */
	uint64_t at;     /* of the record that was given out last */
	struct arena mem;
};

/* Begins after the label of a .meta of this version. */
void meta_walk_begin(struct meta_walk *w, struct member *member, int version);
void meta_walk_end(struct meta_walk *w);

/*
 * The next record: 1, and its body is valid until the next call; 0 at the end, that of a torn last
 * record too; PM_ERR_LOGREC, PM_ERR_RECTYPE, -ENOMEM. Only types that are wanted (bits 1 << type)
 * are decoded, the others are passed over.
 */
int meta_walk_next(struct meta_walk *w, unsigned int wanted, enum meta_type *ret_type,
		   union meta_body *ret_body);

/* The record at an offset that a walk gave out (its field at); the walk itself stays where it is.
 * 0, or a negative error. */
int meta_walk_at(struct meta_walk *w, uint64_t offset, enum meta_type *ret_type,
		 union meta_body *ret_body);

/*
 * catalog - where in a .meta the descriptors, labels and texts of each subject are, over time.
 *
 * They are copied as they are stored: only their places are kept.
 */

struct catalog_entry {
	struct timespec stamp; /* but of labels 0: it holds always */
	uint64_t offset;
};

/* All records of one level and identifier, or of one text; ascending by time. */
struct catalog_subject {
	int noun; /* META_DESC, META_LABEL or META_TEXT */
	int type;
	uint32_t ident;
	struct catalog_entry *entries; /* owned */
	size_t n, room;
	size_t at; /* the first one that has not been reached yet */
	bool disordered; /* while they are read */
};

struct catalog {
	struct hash subjects;
	struct arena mem;
};

/* Reads the .meta once. 0; PM_ERR_LOGREC, PM_ERR_RECTYPE, -ENOMEM. */
int catalog_load(struct catalog *c, struct member *meta, int version);
void catalog_done(struct catalog *c);

/* NULL: the archive has none. */
struct catalog_subject *catalog_desc(const struct catalog *c, pmID pmid);
struct catalog_subject *catalog_labels(const struct catalog *c, int type, uint32_t ident);
struct catalog_subject *catalog_text(const struct catalog *c, int type, uint32_t ident);

/* Goes on to what holds at a time. The entry, if it is another one than before; else NULL. Times
 * don't go back. */
const struct catalog_entry *catalog_reach(struct catalog_subject *s, const struct timespec *when);

/*
 * metadata - what a new archive must know before a record of one input: descriptors, instance
 * domains, labels and texts, each just before the first record that needs it, with its time.
 */

/* Of a recording that stays open longer; its .meta is read once. 0, or an error. */
int metadata_new(const struct recording *r, struct metadata **ret_metadata);
void metadata_free(struct metadata *m);

/* Before the metrics of a record of this time: the labels of the context. 0, or an error. */
int metadata_begin(struct metadata *m, struct archive_writer *w, const struct timespec *when);

/* Before a value set of a metric in it. */
int metadata_metric(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		    pmID pmid);

/* The same for a caller that writes descriptors and observations itself: only labels and texts. */
int metadata_about(struct metadata *m, struct archive_writer *w, const struct timespec *when,
		   pmID pmid);

#endif
