/*
 * archive_set - several archives as if they were one (docs/spec/archive.md 10.1).
 *
 * They are in order of their starts. Between two of them is a mark that no file has. The position
 * is between two records, or beside such a mark, and moves over both.
 */
#ifndef LIBSTORE_ARCHIVE_SET_H
#define LIBSTORE_ARCHIVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libdisk/result_view.h"

struct archive;
struct archive_meta;
struct archive_set;

/*
 * Opens what a comma-separated list names: bases, members of archives, folders of archives. The
 * position is before the first record. Of a folder, an archive within the time of another one is
 * left out: reading would end where it ends. 0; errors of archive_open and archive_meta_load;
 * PM_ERR_LOGOVERLAP for two archives with one start, PM_ERR_LOGHOST.
 */
int archive_set_open(const char *names, unsigned int context_flags, struct archive_set **ret_set);
void archive_set_close(struct archive_set *set);

/* Opens the same archives again, at the same position. */
int archive_set_dup(const struct archive_set *from, struct archive_set **ret_set);

/* The metadata of all of them; borrowed. It may change when archive_set_grown does. */
struct archive_meta *archive_set_meta(struct archive_set *set);

/* Counts how often metadata came to a growing archive. */
unsigned int archive_set_grown(const struct archive_set *set);

/* Labels of the first, and of the one where the position is. */
const struct log_label *archive_set_first_label(const struct archive_set *set);
const struct log_label *archive_set_label(const struct archive_set *set);

/* The archive where the position is; borrowed. */
struct archive *archive_set_current(const struct archive_set *set);

/* Time of the last record of all: looked at again each time. 0; PM_ERR_LOGREC, -errno. */
int archive_set_end(struct archive_set *set, struct timespec *ret_end);
bool archive_set_end_is_torn(const struct archive_set *set); /* see archive_end_is_torn */

/* Moves to before the first record with a stamp >= when, or after the last one <= when. */
int archive_set_seek_forward(struct archive_set *set, const struct timespec *when);
int archive_set_seek_back(struct archive_set *set, const struct timespec *when);

/* 1 if a time is between two archives, at the mark there or after it, and the time of the mark; 0
 * if it is not; an error of reading. */
int archive_set_gap(struct archive_set *set, const struct timespec *when,
		    struct timespec *ret_mark);

/*
 * The record or mark after or before the position: 1 and a view that is valid until the next call;
 * 0 at the end; PM_ERR_LOGREC; PM_ERR_LOGOVERLAP once after the mark between two archives if the
 * earlier ends after the start of the later.
 */
int archive_set_next(struct archive_set *set, struct result_view *ret_view);
int archive_set_prev(struct archive_set *set, struct result_view *ret_view);

/* archive_wish, for all of them. */
void archive_set_wish(struct archive_set *set, const pmID *pmids, size_t n);

/* The bytes of the record given out last, and their version; NULL for a mark between archives. */
const void *archive_set_record(const struct archive_set *set, size_t *ret_len, int *ret_version);

/*
 * Whether there is a mark with a stamp in from < stamp < to: 1, 0, or what reading says. The
 * position is left alone.
 */
int archive_set_has_mark(struct archive_set *set, const struct timespec *from,
			 const struct timespec *to);

#endif
