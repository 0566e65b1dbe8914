/*
 * writer_state - what an archive_writer consists of: for its own parts (archive_writer,
 * writer_sync).
 */
#ifndef LIBSTORE_WRITER_STATE_H
#define LIBSTORE_WRITER_STATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libbase/buffer.h"
#include "libdisk/log_label.h"
#include "libstore/writer_file.h"
#include "libstore/writer_index.h"
#include "libstore/writer_meta.h"

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
