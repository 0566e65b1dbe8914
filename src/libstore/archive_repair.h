/*
 * archive_repair - makes an archive again of the files that a kill, a full disk or a crash of the
 * machine left (docs/spec/archive.md 9, 11), in place: a torn tail of .meta and of the last volume
 * is cut, a missing or wrong index is written again, files without any record are removed. Damage
 * in the middle stays and is counted (pmlogcheck makes a new archive without it). Whole records are
 * never touched, with one exception: if the archive was last written before this machine was
 * started, records that a crash damaged in its last minute are removed, and records there whose
 * metadata is lost.
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
 * 0, and the changes (all zero: it was whole); -ENOENT if there is no file; PM_ERR_LOGFILE,
 * PM_ERR_LABEL or PM_ERR_LOGREC for records without metadata, which are not touched; -errno. No
 * other process may write the archive: the caller makes sure; its volumes before the last one may
 * be compressed at the same time. Killed at any point it can be run again.
 */
int archive_repair(const char *base, struct archive_repair *ret_done);

#endif
