/*
 * repair_inner - what a repair consists of: the scan of a file, the index, the metadata, its state.
 */
#ifndef LIBSTORE_REPAIR_INNER_H
#define LIBSTORE_REPAIR_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libbase/arena.h"
#include "libbase/hash.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/result_view.h"
#include "libstore/archive_files.h"

/*
 * ---- the scan of a file ----
 *
 * One file of an archive from its label to its end: whole records and the bytes
 * between them.
 *
 * A record is whole if its frame and its contents are. After one that is not, the next whole one is
 * searched for: the bytes between are a region of damage. A region that reaches the end of the file
 * is its torn tail.
 */

struct member;

enum scan_kind {
	SCAN_DATA,
	SCAN_META,
};

struct repair_scan {
	struct member *m;
	enum scan_kind kind;
	struct log_label label;
	uint64_t size;
	uint64_t offset; /* of what comes next */
	struct arena mem;
};

/* The bytes from offset to end. */
struct scan_piece {
	uint64_t offset, end;
	bool whole;              /* else damage */
	struct result_view view; /* of a data record; valid until the next call */
	enum meta_type type;     /* of a metadata record */
	union meta_body body;
};

/*
 * Reads the label. 0, and the scan is positioned after it; PM_ERR_NODATA for an empty file,
 * PM_ERR_LABEL,
 * -errno. volume is the number that the label must have. The caller keeps the member.
 */
int repair_scan_begin(struct repair_scan *s, struct member *m, enum scan_kind kind, int volume);
void repair_scan_done(struct repair_scan *s);

/* 1 and the next piece; 0 at the end; -ENOMEM, -errno. */
int repair_scan_next(struct repair_scan *s, struct scan_piece *ret_piece);

/*
 * ---- the index ----
 *
 * The temporal index of an archive that is mended: what is there, whether it is
 * right, and what it has to be (docs/spec/archive.md 8).
 */

struct index_list {
	struct index_entry *entries; /* owned */
	size_t n, cap;
};

void index_list_done(struct index_list *list);

/*
 * Reads an index. 0, and *ret_whole is true if the file has a label, of *ret_version, and whole
 * entries only; -ENOMEM. A file that cannot be read has no entries.
 */
int index_list_load(struct index_list *list, const char *path, int *ret_version, bool *ret_whole);

/*
 * ---- the metadata ----
 *
 * What the .meta of an archive that is mended says: which metrics and instances are
 * described, where in it which time is, and where it is damaged.
 */

struct result_view;

/* A stamped record. */
struct meta_moment {
	uint64_t offset;
	struct timespec stamp;
	bool indom;
};

/* Damage, and when what follows it was: 0 if nothing with a stamp does. */
struct damage_region {
	uint64_t offset, end;
	struct timespec next;
};

enum { REGIONS_MAX = 256 }; /* of more the last one is kept, the others are counted */

struct damage_list {
	struct damage_region at[REGIONS_MAX];
	size_t n;
	uint64_t count;
};

struct repair_meta {
	struct log_label label;
	uint64_t size;       /* of the file */
	struct hash metrics; /* with their domains */
	struct hash domains;
	struct hash insts; /* that a domain ever had, and whether it has them at the end */
	struct meta_moment *moments; /* owned; in the order of the file */
	size_t nmoments, cap;
	struct damage_list damage;
	struct arena mem;
};

/* Adds a region. */
void damage_list_add(struct damage_list *d, uint64_t offset, uint64_t end);
/* A whole record with this stamp follows what was added. */
void damage_list_stamp(struct damage_list *d, const struct timespec *stamp);

/*
 * Reads a .meta up to its end, or up to the offset limit. 0; PM_ERR_NODATA, PM_ERR_LABEL, -errno,
 * -ENOMEM.
 */
int repair_meta_load(struct repair_meta *meta, const char *path, uint64_t limit);
void repair_meta_done(struct repair_meta *meta);

/* True if all metrics and instances of a record, which is not before the last stamp, are described.
 */
bool repair_meta_describes(const struct repair_meta *meta, const struct result_view *view);

/* Stamp of the last stamped record; 0. */
struct timespec repair_meta_last(const struct repair_meta *meta);

/* For an index entry: where the first stamped record not before stamp is, or the end; and whether
 * it is an observation of a domain with exactly that stamp. */
uint64_t repair_meta_offset(const struct repair_meta *meta, const struct timespec *stamp,
			    bool *ret_indom);

/* ---- the state of an archive that is being mended ---- */

struct archive_repair;

struct volume {
	int number;
	const char *path;
	bool plain;
	bool foreign; /* its label is not one of this archive: left alone */
	bool trusted; /* compressed, and in the index: not looked into */
	uint64_t size;
	uint64_t keep; /* bytes that stay */
	uint64_t records;
	struct timespec last;
	struct log_label label;
	struct damage_list damage;
};

struct repair {
	const char *base;
	struct archive_files files;
	struct repair_meta meta;
	bool meta_loaded;
	uint64_t meta_keep;
	struct index_list index; /* as it is */
	bool index_whole;
	int index_version;
	struct volume *volumes; /* owned, one for each of files.volumes */
	struct timespec end;    /* newest stamp of data */
	bool crashed;           /* the machine may have been */
	struct archive_repair *done;
};

/* Not a compressed member. */
bool repair_is_plain(const char *path);

/* A walk over the pieces of a file, and its end. 0, -errno. */
int repair_open_scan(const char *path, enum scan_kind kind, int number, struct repair_scan *scan);
void repair_close_scan(struct repair_scan *scan);

/* 0, -errno; a file that is not there is removed. */
int repair_remove_file(const char *path);
int repair_sync_dir(const char *base);

/* Writes the index again if it is missing or wrong. 0, -errno. */
int repair_mend_index(struct repair *r);

#endif
