/*
 * repair_state - an archive that is being mended: for the parts of archive_repair.
 */
#ifndef LIBSTORE_REPAIR_STATE_H
#define LIBSTORE_REPAIR_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "libdisk/log_label.h"
#include "libstore/archive_files.h"
#include "libstore/repair_index.h"
#include "libstore/repair_meta.h"
#include "libstore/repair_scan.h"

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
