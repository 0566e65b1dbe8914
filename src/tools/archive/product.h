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

/* product - a new archive that a tool writes; it is removed if the tool fails. */

/* Prints "PROGRAM: Error: WHAT: TEXT" on standard error. */
void product_report(const char *what, int code);

/* Creates the archive. Returns false after an error message; existing files are not changed. */
bool product_open(const char *base, const struct log_label *label,
		  struct archive_writer **ret_writer);

/* The same with another message: "PROGRAM: Error: WHAT: TEXT". */
bool product_open_as(const char *what, const char *base, const struct log_label *label,
		     struct archive_writer **ret_writer);

/* Begins a new volume and reports the time. Returns 0 or a negative error. */
int product_volume(struct archive_writer *w, const struct timespec *stamp);

/* Removes the new archive and frees the writer. */
void product_drop(struct archive_writer *w);

/* Removes all members of an archive that an archive tool has written. */
void product_remove(const char *base);

/*
 * progress - the progress of long work, for a user at a terminal.
 */

/*
 * Begins to show the progress of work with this name on standard error, if that is a terminal and
 * the work takes more than a second. quiet: never.
 */
void progress_begin(const char *name, bool quiet);

/* Sets the progress to done of total; cheap. */
void progress_tick(uint64_t done, uint64_t total);

/* Removes the line; to be called before other output. */
void progress_clear(void);

#endif
