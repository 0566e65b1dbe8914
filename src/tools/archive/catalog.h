/*
 * catalog - where in a .meta the descriptors, labels and texts of each subject are, over time.
 *
 * They are copied as they are stored: only their places are kept.
 */
#ifndef TOOLS_ARCHIVE_CATALOG_H
#define TOOLS_ARCHIVE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct member;

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

#endif
