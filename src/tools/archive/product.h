/*
 * product - a new archive, and the progress of writing it.
 */
#ifndef ARCHIVE_PRODUCT_H
#define ARCHIVE_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct archive_writer;
struct log_label;

/*
 * product - the archive that a tool makes of others: begun, and taken away again if it came to
 * nothing.
 */

/* "PROGRAM: Error: WHAT: TEXT", on standard error. */
void product_report(const char *what, int code);

/* False after a message; existing files are left alone. */
bool product_open(const char *base, const struct log_label *label,
		  struct archive_writer **ret_writer);

/* The same with another message: "PROGRAM: Error: WHAT: TEXT". */
bool product_open_as(const char *what, const char *base, const struct log_label *label,
		     struct archive_writer **ret_writer);

/* Begins a new volume and reports the time; 0 or a negative error. */
int product_volume(struct archive_writer *w, const struct timespec *stamp);

/* Removes what was made, and frees the writer. */
void product_drop(struct archive_writer *w);

/* Removes all members of an archive that a tool of this family made. */
void product_remove(const char *base);

/*
 * progress - the progress of long work, for a user at a terminal.
 */

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
