/*
 * archive_keep - how much of the past a folder of archives keeps: what is over a size or an age
 * goes, the oldest first.
 *
 * Of an archive data volumes go from its front: what is left stays readable, from where it begins.
 * With its last volume an archive goes whole, .meta first: what has none is no archive for any
 * reader of the folder. Only archives of one host are looked at, known by their labels, so that no
 * other file is ever taken for a volume. Reads the folder and labels: who must not wait calls it in
 * another thread or process.
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

#endif
