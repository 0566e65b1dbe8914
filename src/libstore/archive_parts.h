/*
 * archive_parts - the archives of a set: found by their names, opened, in the order of their starts
 * (docs/spec/archive.md 10.1).
 *
 * A name is that of an archive or of a folder. An archive that is named twice counts once. Of a
 * folder, an archive within the time of another one is left out.
 */
#ifndef LIBSTORE_ARCHIVE_PARTS_H
#define LIBSTORE_ARCHIVE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive;

struct archive_part {
	struct archive *archive;
	char *name;        /* as it was given */
	bool in_folder;    /* it was found in a folder, not named */
	uint64_t meta_end; /* the owner's: what of its metadata is loaded */
};

struct archive_parts {
	unsigned int flags; /* PM_CTXFLAG_*, set before the opening */
	struct archive_part *list;
	size_t n;
};

/*
 * Opens what a comma-separated list names. 0; errors of archive_open; PM_ERR_LOGFILE for no
 * archive, PM_ERR_LOGOVERLAP for two archives with one start, PM_ERR_LOGHOST. In each case the
 * caller calls archive_parts_done.
 */
int archive_parts_open(struct archive_parts *parts, const char *names);
void archive_parts_done(struct archive_parts *parts);

/*
 * A list that names exactly these parts: a folder may have grown, and would give others. The caller
 * frees it. NULL when out of memory.
 */
char *archive_parts_names(const struct archive_parts *parts);

#endif
