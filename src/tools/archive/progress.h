/*
 * progress - the progress of long work, for a user at a terminal.
 */
#ifndef TOOLS_ARCHIVE_PROGRESS_H
#define TOOLS_ARCHIVE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on the progress of work of this name is shown, on standard error if that is a terminal,
 * and only once it has taken a second. quiet: not at all.
 */
void progress_begin(const char *name, bool quiet);

/* done of total; cheap. */
void progress_tick(uint64_t done, uint64_t total);

/* Takes the line away, before anything else is printed. */
void progress_clear(void);

#endif
