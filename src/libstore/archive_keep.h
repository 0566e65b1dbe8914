/*
 * archive_keep - limits of size and age of a folder of archives: data over a limit is removed, the
 * oldest first.
 *
 * An archive loses data volumes from its front: the rest stays readable. With its last volume the
 * whole archive is removed, .meta first: without .meta no reader of the folder takes it for an
 * archive. Only archives of one host are considered, by their labels, so that no other file is ever
 * taken for a volume. Reads the folder and labels: a caller that must not wait uses another thread
 * or process.
 */
#ifndef LIBSTORE_ARCHIVE_KEEP_H
#define LIBSTORE_ARCHIVE_KEEP_H

#include <stdint.h>
#include <time.h>

struct archive_caps {
	uint64_t bytes;   /* of all files of the archives together; 0: any */
	uint64_t age_s;   /* since a volume was written last; 0: any */
	const char *host; /* in the label */
	/* The archive that is being written, as it was named to the writer, and its volume: that
	   and what follows it stays, and its .meta and .index do. NULL: none. */
	const char *writing;
	int writing_volume;
};

struct archive_kept {
	uint64_t removed_files, removed_bytes;
	uint64_t bytes; /* that are left */
};

/*
 * Removes what is over the caps. 0; the first -errno of the folder or of a file that could not be
 * removed (the others were); -ENOMEM. Killed at any point, the next call goes on.
 */
int archive_keep(const char *dir, const struct archive_caps *caps, const struct timespec *now,
		 struct archive_kept *ret_kept);

/*
 * ---- remains of a compression ----
 *
 * Left-over files of a folder of archives: those that a compression was writing
 * (archive_compress's PATH.new.xz) when it was killed.
 */

enum { ARCHIVE_REMAINS_AGE_S = 3600 }; /* what has no .meta is remains after this time */

/*
 * Removes them: those beside an archive of this host, unless a process is at work on the volume;
 * where there is no archive any more, those that are old. How many; -errno of the folder.
 */
int archive_remains_remove(const char *dir, const char *host, const struct timespec *now);

#endif
