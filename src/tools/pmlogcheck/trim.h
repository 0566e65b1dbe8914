/*
 * trim - cuts a torn end off an archive that nobody writes any more, in place.
 */
#ifndef PMLOGCHECK_TRIM_H
#define PMLOGCHECK_TRIM_H

#include <stdbool.h>

struct archive_files;

/* Says what was done on standard error, and lists the files anew: some may be gone, or made. False after
 * an error was reported, or if nothing is left of the archive. */
bool trim_run(struct archive_files *files);

#endif
