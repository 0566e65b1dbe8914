/*
 * writer_inner - what an archive_writer consists of: its files, index and metadata, and its state.
 */
#ifndef LIBSTORE_WRITER_INNER_H
#define LIBSTORE_WRITER_INNER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/hash.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"

/*
 * ---- the file ----
 *
 * One growing file of an archive: whole records at its end, or nothing.
 *
 *     | whole records      | allocated ahead                  |
 *     0                    size                               room
 *
 * A record is written by one write. The bytes of a failed or short write are cut off. Blocks are
 * allocated ahead, in steps that grow with the file, so that a full disk is met by the allocation,
 * before anything is written, and so that WRITER_RESERVE bytes after the last record are always
 * there: a closing mark fits when nothing else does. If the file system cannot allocate ahead, the
 * write is tried and cut.
 */

enum {
	WRITER_RESERVE =
	    1024, /* bytes reserved after the last record: labels, marks, index entries */
};

struct writer_file {
	int fd; /* -1: none */
	uint64_t size;
	uint64_t room;
	bool ahead; /* the file system allocates ahead */
	bool torn;  /* there may be part of a record after size: cut before the next one */
	bool dirty; /* there is something that was not synced */
};

#define WRITER_FILE_NONE ((struct writer_file){.fd = -1})

/* Makes a file that must not exist. 0, -EEXIST, -errno. */
int writer_file_create(struct writer_file *f, const char *path);

/*
 * Appends len bytes. 0; or -errno (ENOSPC, EDQUOT, EFBIG, EIO, …), and then the file holds what it
 * held before. With use_reserve the bytes may come from what is kept. SIGXFSZ is the caller's to
 * ignore.
 */
int writer_file_append(struct writer_file *f, const void *bytes, size_t len, bool use_reserve);

/* Gives back what was allocated ahead, and cuts what is torn. */
void writer_file_trim(struct writer_file *f);

/* Closes the file without cutting it; the size stays known. */
void writer_file_close(struct writer_file *f);

/*
 * ---- the index ----
 *
 * The temporal index of an archive being written (docs/spec/archive.md 8, 11).
 *
 * The file appears whole, with its label and first entry, when the first record is in the archive.
 * The index is advisory: what can't be written (a full disk) waits here and goes with the next
 * entry, and what version 2 can't hold is left out.
 */

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

/*
 * ---- metadata ----
 *
 * The metadata of an archive being written: what is in it already, and what waits to
 * be written with the next record (docs/spec/archive.md 7.2, 7.5).
 */

/* The newest observation of an instance domain. */
struct writer_domain {
	pmInDom indom;
	struct timespec stamp;
	size_t n;
	struct wire_inst *insts; /* owned, one block with the names */
};

struct writer_meta {
	int version;
	struct buffer queue; /* whole records, in order */
	bool indom_queued;   /* among those that no index entry covers yet */
	bool repeat;         /* an observation that says nothing new is written as well */
	bool repeat_labels;  /* and labels */
	bool plain;          /* all is written as it is given */
	struct hash known;   /* struct known */
	struct hash domains; /* struct writer_domain, owned */
	struct arena mem;
	struct buffer scratch;
};

void writer_meta_init(struct writer_meta *m, int version);
void writer_meta_done(struct writer_meta *m);

/* As archive_writer_meta. */
int writer_meta_add(struct writer_meta *m, enum meta_type type, const union meta_body *body);

/* True if a record of this kind is written or queued. */
bool writer_meta_has_desc(const struct writer_meta *m, pmID pmid);
bool writer_meta_has_labels(const struct writer_meta *m, int type, uint32_t ident);
bool writer_meta_has_text(const struct writer_meta *m, int type, uint32_t ident);
bool writer_meta_has_any_desc(const struct writer_meta *m);

/* NULL if there is none. */
const struct writer_domain *writer_meta_domain(const struct writer_meta *m, pmInDom indom);

/* ---- the state ---- */

/* Why nothing more is written. */
enum writer_end {
	WRITER_OPEN,
	WRITER_FINISHED,
	WRITER_META_LOST, /* metadata could not be synced: what follows might lack it */
};

struct closed {
	int volume;
	int fd; /* owned */
};

struct left {
	char path[PATH_MAX]; /* "": none */
};

struct archive_writer {
	char *base; /* owned */
	struct log_label label;
	enum writer_end ended;
	bool begun; /* the files are there, and a record is */

	struct writer_file meta, data;
	struct writer_index index;
	struct writer_meta known;
	struct buffer record; /* the one that is being written */
	bool next_volume;     /* the next record begins a volume */
	bool plain;           /* the caller makes the index entries */
	uint64_t volume_max;  /* a volume ends before this size */

	struct closed *closed; /* volumes that are not synced yet, owned */
	size_t nclosed;
	uint64_t closed_size; /* bytes of the volumes before this one */
	bool names_dirty;     /* the folder is not synced */
	struct left left[2];  /* files that failed in the making and could not be removed */
	bool syncing;
	int synced_volume;    /* which volume the sync that runs has as the current one */
	size_t synced_closed; /* and how many of the closed ones */

	struct timespec last;
	uint64_t last_offset; /* where the last record begins */
	uint64_t meta_before; /* size of .meta before what no index entry covers */
	uint64_t records;
};

/* The volume being written is closed; its descriptor is kept for a sync that it needs. */
void writer_close_volume(struct archive_writer *w, bool to_sync);

/* Closed volumes that need no sync any more, or get none. */
void writer_forget_closed(struct archive_writer *w, size_t at, size_t n);

/* Something was written that is not synced. */
bool writer_is_dirty(const struct archive_writer *w);

#endif
