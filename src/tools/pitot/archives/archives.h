/*
 * archives - `pitot archives`: its options, the archives of a folder, and the work on a folder.
 */
#ifndef PITOT_ARCHIVES_ARCHIVES_H
#define PITOT_ARCHIVES_ARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive_files.h"

/*
 * archives - the options of all commands, and one folder after the other.
 */

struct archives_options {
	pmOptions pm;
	bool json;
	bool dry_run;
	const char *max_size, *max_age; /* as given; NULL: not given */
	uint64_t size;                  /* bytes; 0: no limit */
	int64_t age_s;                  /* 0: no limit */
};

/* The work of a command on one folder: returns an exit status, PITOT_FAILED after a message. */
typedef int archives_work(const struct archives_options *o, const char *dir);

archives_work check_folder, merge_folder, compress_folder, cull_folder;

struct stored;

/* Reads a whole archive; makes it damaged if it is. */
void check_archive(struct stored *s);

/* `pitot archives list` of all folders. An exit status. */
int list_folders(const struct archives_options *o, char *const dirs[], size_t n);

/* Parses "500m", "2g", "30d", "36h". Returns 0, or -1 after a message that names the option. */
int archives_parse_size(const char *option, const char *text, uint64_t *ret_bytes);
int archives_parse_age(const char *option, const char *text, int64_t *ret_seconds);

/*
 * stored - the archives of a folder, each with its state.
 *
 * An archive is being written if the process in its label runs and is not younger than the last
 * change of the archive. A recorder writes one archive at a time, so of several with the same
 * process only the one that changed last is being written. The process of an archive of another
 * host may run on another machine: such an archive is being written for a minute after its last
 * change.
 */

enum stored_state { STORED_COMPLETE, STORED_WRITTEN, STORED_DAMAGED };

enum { STORED_REASON = 256 };

struct stored {
	struct archive_files files; /* owned; any of them may be missing */
	const char *name;           /* the base without its folder; borrowed */
	bool labelled;              /* the label was read */
	struct log_label label;
	struct timespec end;     /* of the last record; 0: unknown */
	struct timespec changed; /* the last change of a file */
	uint64_t bytes;
	size_t packed; /* compressed volumes */
	enum stored_state state;
	char reason[STORED_REASON]; /* of STORED_DAMAGED */
};

struct stored_folder {
	struct stored *at; /* owned; by the times of their labels */
	size_t n;
};

/*
 * Finds the archives of a folder. The records of an archive are not read. Files without metadata
 * are an archive if the first volume has a label. Returns 0, -errno of the folder, -ENOMEM.
 */
int stored_folder_read(const char *dir, struct stored_folder *ret_folder);
void stored_folder_done(struct stored_folder *f);

/* Reports an error of a file or a folder. Returns PITOT_FAILED. */
int stored_failed(const char *path, int sts);

/* Makes an archive damaged, for this reason; keeps the first reason. */
void stored_damaged(struct stored *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Locks a folder against another `pitot archives` until the descriptor is closed. Returns the
 * descriptor, or -1 after a message.
 */
int stored_lock(const char *dir);

#endif
