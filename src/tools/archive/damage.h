/*
 * damage - where an archive that was being read could not be read on.
 */
#ifndef TOOLS_ARCHIVE_DAMAGE_H
#define TOOLS_ARCHIVE_DAMAGE_H

struct archive;

/* Tells the error of archive_next, for the archive of this name, and for a corrupted record where
 * it is and what becomes of the rest. */
void damage_report(const struct archive *a, const char *name, int code, const char *rest);

#endif
