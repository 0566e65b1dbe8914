/*
 * archive_remains - left-over files of a folder of archives: those that a compression was writing
 * (archive_compress's PATH.new.xz) when it was killed.
 */
#ifndef LIBSTORE_ARCHIVE_REMAINS_H
#define LIBSTORE_ARCHIVE_REMAINS_H

#include <time.h>

enum { ARCHIVE_REMAINS_AGE_S = 3600 }; /* what has no .meta is remains after this time */

/*
 * Removes them: those beside an archive of this host, unless a process is at work on the volume;
 * where there is no archive any more, those that are old. How many; -errno of the folder.
 */
int archive_remains_remove(const char *dir, const char *host, const struct timespec *now);

#endif
