/*
 * archive - the records of one archive, in either direction, over its volumes (docs/spec/archive.md
 * 2 to 9).
 *
 * Opening reads labels and the temporal index, not the volumes. The position is between two
 * records: archive_next returns the one after it, archive_prev the one before it.
 */
#ifndef LIBSTORE_ARCHIVE_H
#define LIBSTORE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "libstore/archive_files.h"

struct archive;
struct index_entry;
struct member;

enum archive_flag {
	ARCHIVE_NO_FEATURE_CHECK = 1u << 0,
	/* Damage is skipped to the next record that is whole, and counted, instead of
	   PM_ERR_LOGREC. */
	ARCHIVE_SKIP_DAMAGE = 1u << 1,
};

/* Errors as in docs/spec/archive.md 2.1 and 4.3. An index with only a label counts as missing. */
int archive_open(const char *name, unsigned int flags, struct archive **ret_archive);
void archive_close(struct archive *a);

const struct log_label *archive_label(const struct archive *a); /* of the first volume */
const struct archive_files *archive_files(const struct archive *a);
struct member *archive_meta_member(struct archive *a);
/* The entries of the index as they are stored, whole ones: how many in *ret_n (none if there is no
 * index). They are read when first asked for. 0; -ENOMEM, -errno. */
int archive_index(struct archive *a, const struct index_entry **ret_entries, size_t *ret_n);

/* Time of the last whole record (docs/spec/archive.md 9): looked at again when the archive grew. 0;
 * PM_ERR_LOGREC if there is none. */
int archive_end(struct archive *a, struct timespec *ret_end);

/*
 * True if the archive_end before found a torn tail and no mark of the index to start from. The end
 * is then that of the records that are whole, and tools warn of the damage, because 6.0.3 does.
 */
bool archive_end_is_torn(const struct archive *a);

/*
 * Moves to before the first record with a stamp >= when (forward), or after the last one <= when
 * (back), by the index and a walk of one stretch of it; equal stamps stay together. 0;
 * PM_ERR_LOGREC, -errno.
 */
int archive_seek_forward(struct archive *a, const struct timespec *when);
int archive_seek_back(struct archive *a, const struct timespec *when);
void archive_rewind(struct archive *a); /* before the first record */
void archive_to_end(struct archive *a); /* after the last record */

/*
 * The record after or before the position, which moves over it: 1 and a view that is valid until
 * the next call; 0 at the end (a growing archive may have more later); PM_ERR_LOGREC at damage,
 * PM_ERR_LABEL at a volume of another archive, -errno, -ENOMEM. After an error the position is
 * unchanged. The frame and head are checked, and each set when it is walked. A volume that is
 * missing, or holds only a label, is skipped.
 */
int archive_next(struct archive *a, struct result_view *ret_view);
int archive_prev(struct archive *a, struct result_view *ret_view);

enum { ARCHIVE_WISH_MAX = 4 };

/*
 * From now on no more than these metrics need be in the views that archive_next and archive_prev
 * give; the list is borrowed. Long records are not read whole then, and archive_record is NULL for
 * them. None, or more than ARCHIVE_WISH_MAX: everything is wanted.
 */
void archive_wish(struct archive *a, const pmID *pmids, size_t n);

/* The place of a record, for callers that return to it. */
struct archive_place {
	int volume;
	uint64_t offset; /* of its first byte */
	uint64_t end;    /* after its last byte */
};

/* Of the record that was given out last. */
struct archive_place archive_place(const struct archive *a);
/* Returns the record at a place, and moves the position after it. */
int archive_at(struct archive *a, const struct archive_place *place, struct result_view *ret_view);

/*
 * The head of a record without its body: some 32 bytes are read, the frame's end is not looked at.
 * Position and views are left alone.
 */
struct archive_head {
	struct timespec stamp;
	bool mark;
	struct archive_place place;
};

/* The first record with a stamp >= when. 1; 0 if there is none; PM_ERR_LOGREC, -errno. */
int archive_head_seek(struct archive *a, const struct timespec *when,
		      struct archive_head *ret_head);
/* Returns the record after another, over volumes, in the same way. */
int archive_head_next(struct archive *a, const struct archive_head *from,
		      struct archive_head *ret_head);

/* The whole bytes of the record given out last (frame included); NULL while fewer were wished for.
 */
const void *archive_record(const struct archive *a, size_t *ret_len);

/* The damage that ARCHIVE_SKIP_DAMAGE has skipped so far. */
struct archive_damage {
	uint64_t regions;
	uint64_t bytes;
};
struct archive_damage archive_damage(const struct archive *a);

#endif
