/*
 * archive_writer - an archive being written (docs/spec/archive.md 7.5, 8, 11, 13).
 *
 * Only archive_writer_sync, archive_writer_end and archive_sync_run wait for a disk. The order on
 * disk: .0 with its label, then .meta with label and first metadata, then the first record, then
 * the index, whole, by rename; each record by one write. A kill between any two system calls leaves
 * an archive that opens, or files that archive_repair removes. A write that fails (ENOSPC, EDQUOT,
 * EIO, EFBIG) is cut off again, the archive stays whole and open, and the caller may try again
 * later; room for a closing mark is kept in reserve. Callers that set RLIMIT_FSIZE must ignore
 * SIGXFSZ. One thread at a time.
 */
#ifndef LIBSTORE_ARCHIVE_WRITER_H
#define LIBSTORE_ARCHIVE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/meta.h"

struct archive_sync;
struct archive_writer;
struct index_entry;
struct log_label;
struct result_view;

/*
 * A new archive of this base; label gives version, pid, host, zone; its start may be 0: that of the
 * first record then. No file is made before the first record. 0; -EEXIST if a member of that name
 * is there (checked now and again when files are made); -EINVAL, -errno, -ENOMEM.
 */
int archive_writer_new(const char *base, const struct log_label *label,
		       struct archive_writer **ret_writer);

/*
 * Queues one metadata record: it is written before the next data record, in the order of the calls,
 * with one write. An INDOM or LABEL type is turned to that of the archive's version; for INDOM the
 * full list is given (ascending by id), and the writer decides between full, delta and nothing
 * (7.2); an empty list is nothing, as readers see it. 1 if something is to be written, 0 if it is
 * what was written before; -EINVAL for what an archive can't hold (another type, semantics, domain
 * or units for a metric; an observation before the last one of its domain), -ERANGE, -ENOMEM.
 */
int archive_writer_meta(struct archive_writer *w, enum meta_type type, const union meta_body *body);

/* From now on an observation of a domain is written even if it equals the last one, unless it has
 * the same time: for callers that keep the observations of other archives. */
void archive_writer_repeat(struct archive_writer *w);
/* The same for labels. */
void archive_writer_repeat_labels(struct archive_writer *w);

/*
 * For callers that decide themselves what is written and when (libpcp_import). A domain is written
 * as it is given: in full, in the caller's order; labels and texts are written again; the writer
 * adds no index entries, also not the final one. Called before anything else; the label has its
 * start. 0, -ERANGE, -ENOMEM.
 */
int archive_writer_plain(struct archive_writer *w);
/* An index entry; for a plain writer. A failure to write it is tried again with the next one. */
void archive_writer_entry(struct archive_writer *w, const struct index_entry *entry);
/* A volume that would exceed this size ends before the next record. */
void archive_writer_volume_max(struct archive_writer *w, uint64_t size);

/* Writes the queued metadata now, if a record was written before. 0 or -errno. */
int archive_writer_flush(struct archive_writer *w);

/* True if this was written, or is queued: a metric; labels of a level; a text; any observation of a
 * domain. */
bool archive_writer_has_desc(const struct archive_writer *w, pmID pmid);
bool archive_writer_has_labels(const struct archive_writer *w, int type, uint32_t ident);
bool archive_writer_has_text(const struct archive_writer *w, int type, uint32_t ident);
/* The newest observation of a domain, ascending; NULL if none. Borrowed until the next
 * archive_writer_meta. */
const struct wire_inst *archive_writer_indom(const struct archive_writer *w, pmInDom indom,
					     size_t *ret_n, struct timespec *ret_stamp);

/*
 * Writes queued metadata, then one data record, then index entries as section 8 has them. stamp
 * must not be before the last one (-EINVAL), and the first record needs a descriptor before it
 * (-EINVAL). 0; -errno of the write, and then no part of the record is in the archive, metadata is
 * written or stays queued; -EEXIST if a member that is to be made is there; PM_ERR_TOOBIG; -ESTALE
 * after metadata could not be synced: go on in a new archive.
 */
int archive_writer_result(struct archive_writer *w, const struct timespec *stamp,
			  pmValueSet *const *sets, uint32_t n);
/* The same for sets that are in a record or a PDU, checked: copied, not decoded. */
int archive_writer_copy(struct archive_writer *w, const struct timespec *stamp,
			const struct result_view *view);
/* A mark; from the reserve if the disk is full. -EINVAL without a record before it. */
int archive_writer_mark(struct archive_writer *w, const struct timespec *stamp);

/* The next record begins a new volume. Its number, or a negative error. */
int archive_writer_volume(struct archive_writer *w);

/*
 * Metadata, then data, then index to the disk. 0; -errno, after which the volume is closed: what
 * was in it stays, the next record begins a new one, and fsync is never repeated on the old. If it
 * was the metadata that failed, no record follows (-ESTALE).
 */
int archive_writer_sync(struct archive_writer *w);

/*
 * The same for callers that must not wait. begin collects the work of a sync, archive_sync_run
 * (archive_sync.h) waits for the disk in any thread, and end gives the writer the result, in the
 * writer's thread, and frees the work. Records may be written at the same time: they belong to the
 * next sync. begin returns 1; 0 if there is nothing to sync; -EBUSY while one is under way; -errno.
 * end returns the result of archive_writer_sync; -ECANCELED if it never ran: all of it is still to
 * be synced.
 */
int archive_writer_sync_begin(struct archive_writer *w, struct archive_sync **ret_sync);
int archive_writer_sync_end(struct archive_writer *w, struct archive_sync *sync);

/*
 * Writes the final index entry: nothing can be written after it (-ESTALE). For callers that end an
 * archive without waiting: finish, begin, run, end, abandon. 0, or -errno of the index; the archive
 * is readable without it.
 */
int archive_writer_finish(struct archive_writer *w);

/*
 * Finish, sync, close, free. The first error, if any. Without a record no file is left. Not while a
 * sync is under way.
 */
int archive_writer_end(struct archive_writer *w);
/* Frees the writer without completing the archive; NULL does nothing. A sync that is under way
 * belongs to the caller, who frees it with archive_sync_free when it has run. */
void archive_writer_abandon(struct archive_writer *w);

struct archive_writer_state {
	const char *base;
	struct timespec start, last; /* before the first record: as the label said, and 0 */
	int volume;
	uint64_t volume_size; /* position in the current volume */
	uint64_t record_at;   /* where the last record begins in its volume */
	uint64_t data_size;   /* of all volumes */
	uint64_t meta_size;
	uint64_t meta_end; /* with the label and what is queued */
	uint64_t index_size;
	uint64_t records; /* marks included */
	bool unsynced;    /* there is something for archive_writer_sync */
	bool finished;    /* nothing can be written any more */
};
struct archive_writer_state archive_writer_state(const struct archive_writer *w);

#endif
