/*
 * archive_repair - what a kill, a full disk or a crash of the machine left is made an archive again
 * (docs/spec/archive.md 9, 11), in place: a torn tail of .meta and of the last volume is cut, a
 * missing or wrong index written anew, files without any record removed. Damage in the middle stays
 * and is counted (pmlogcheck makes a new archive without it). Whole records are never touched, with
 * one exception: if the archive was last written before this machine was started, what a crash
 * damaged in its last minute goes, and records there whose metadata is lost.
 */
#ifndef LIBSTORE_ARCHIVE_REPAIR_H
#define LIBSTORE_ARCHIVE_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

struct archive_repair {
	uint64_t meta_cut, data_cut; /* bytes */
	uint64_t damaged; /* regions in the middle, left as they are: not looked for in an archive
			     that was ended as it should be */
	bool index_written;
	bool removed; /* there was no record: the files are gone */
};

/*
 * 0, and what was done (all zero: it was whole); -ENOENT if there is no file; PM_ERR_LOGFILE,
 * PM_ERR_LABEL or PM_ERR_LOGREC for records without metadata, of which nothing is touched; -errno.
 * Only for an archive that nobody writes:
 * who calls makes sure; its volumes before the last one may be compressed meanwhile. Killed at any
 * point it can be run again.
 */
int archive_repair(const char *base, struct archive_repair *ret_done);

#endif
