/* folder - the archives in the folder of the one that is being written: the owner of each, and
 * whether it is being written. */
#ifndef PMLOGGER_FOLDER_H
#define PMLOGGER_FOLDER_H

#include <stdbool.h>
#include <time.h>

/*
 * True for an archive that a recorder of this host left, and that no process writes: one of this
 * process from before, or one whose process has ended. An archive that is compressed as a whole has
 * no owner.
 */
bool folder_is_left(const char *base, const char *host, struct timespec *ret_changed);

/* The folder of a base, "." for none. */
void folder_of(const char *base, char *ret_dir, unsigned int size);

/*
 * Writes the folio into the current directory, if that is below PCP_ARCHIVE_DIR: the file "Latest",
 * which names the archive that a daemon writes now. host is the collector's, base the archive's. 0;
 * 0 elsewhere; -errno.
 */
int folio_write(const char *host, const char *base);

#endif
