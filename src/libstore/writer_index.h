/*
 * writer_index - the temporal index of an archive being written (docs/spec/archive.md 8, 11).
 *
 * The file appears whole, with its label and first entry, when the first record is in the archive.
 * The index is advisory: what can't be written (a full disk) waits here and goes with the next
 * entry, and what version 2 can't hold is left out.
 */
#ifndef LIBSTORE_WRITER_INDEX_H
#define LIBSTORE_WRITER_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/buffer.h"
#include "libstore/writer_file.h"

struct index_entry;
struct log_label;

struct writer_index {
	struct writer_file file;
	struct buffer pending; /* the label before the first entry is written, and entries */
	int version;
	uint64_t threshold; /* a position in the data beyond this gets an entry */
	bool lost;          /* it could not be synced: nothing is added any more */
};

/* For an archive with this label (whatever its volume). 0, -ERANGE, -ENOMEM. */
int writer_index_begin(struct writer_index *ix, const struct log_label *label);
void writer_index_done(struct writer_index *ix);

/* True if the index wants an entry for a record that ended at this position of its volume. */
static inline bool writer_index_due(const struct writer_index *ix, uint64_t position)
{
	return position > ix->threshold;
}

/* Adds an entry for a record that ended at position. A failure is tried again the next time. */
void writer_index_add(struct writer_index *ix, const char *base, const struct index_entry *entry,
		      uint64_t position);

/* The file could not be synced: it stays as it is, and readers do without the rest. */
void writer_index_lose(struct writer_index *ix);

/*
 * Writes what waits; makes the file if there is none: as BASE.index.new, which gets its name when
 * it is whole. 0; -EEXIST, -errno.
 */
int writer_index_flush(struct writer_index *ix, const char *base);

#endif
