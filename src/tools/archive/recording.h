/*
 * recording - an archive that is read: the files that an argument names, opening them, and their
 * damage.
 */
#ifndef ARCHIVE_RECORDING_H
#define ARCHIVE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct archive;
struct archive_meta;
struct archive_set;
struct log_label;

/*
 * bases - the archives that one argument names: an archive, a list with commas, folders of
 * archives.
 */

struct bases {
	char **names; /* owned */
	size_t n;
	char *failed; /* owned: the folder that caused an error; NULL: none */
};

/*
 * Finds the archives in the order of the argument; those of a folder sorted by name. Returns 0,
 * -ENOMEM, or the error of a folder. The bases found before an error are in the list.
 */
int bases_find(const char *argument, struct bases *ret_bases);
void bases_done(struct bases *b);

/* damage - reports the place where reading an archive failed. */

/*
 * Reports the error of archive_next, for the archive of this name; for a corrupted record also its
 * place, and whether the rest is read.
 */
void damage_report(const struct archive *a, const char *name, int code, const char *rest);

/* recording - an archive opened by an archive tool: records, metadata, label and end. */

struct recording {
	struct archive *archive; /* NULL if it is a set of archives */
	struct archive_set *set; /* NULL if it is one archive */
	struct archive_meta *meta;
	const struct log_label *label; /* label of the first volume */
	struct timespec end;           /* time of the last whole record; PM_MAX_TIME_T if unknown */
	int end_error;                 /* 0, or why the end is unknown, or not that of the file */
	uint64_t meta_end;             /* offset after the last whole record of .meta */
};

/* Returns false after reporting that the name means several archives: a list, a directory. */
bool recording_is_one(const char *name);

/*
 * Opens one archive, by its base or one of its files, and loads its metadata. flags are those of
 * archive_open. Returns 0 or its error; the caller closes ret_recording only after success. An
 * unknown end is not an error.
 */
int recording_open(const char *name, unsigned int flags, struct recording *ret_recording);

/*
 * The same for all archives of a list with commas, or of a folder: they are read as one, with marks
 * between them, the label of the first and the end of the last.
 */
int recording_open_set(const char *names, struct recording *ret_recording);

/* Makes main() report compressed files that are refused on standard error. */
void recording_report_refusals(void);

/* Reports on standard error that the end was not found, for tools that continue in that case. */
void recording_warn(const struct recording *r, const char *name);

void recording_close(struct recording *r);

#endif
