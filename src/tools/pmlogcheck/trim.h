/*
 * trim - cuts a torn end off an archive, in place. No program may still be writing the archive.
 */
#ifndef PMLOGCHECK_TRIM_H
#define PMLOGCHECK_TRIM_H

#include <stdbool.h>

struct archive_files;

/*
 * Reports the changes on standard error, and lists the files again, because some may have been
 * removed or made. Returns false after reporting an error, or if nothing is left of the archive.
 */
bool trim_run(struct archive_files *files);

#endif
