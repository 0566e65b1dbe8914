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
	char *failed; /* owned: the folder that an error is about; NULL: none */
};

/* In the order of the argument; those of a folder by name. 0; -ENOMEM, or the error of a folder.
 * The bases found before an error are there. */
int bases_find(const char *argument, struct bases *ret_bases);
void bases_done(struct bases *b);

/*
 * damage - where an archive that was being read could not be read on.
 */

/*
 * Reports the error of archive_next, for the archive of this name; for a corrupted record also its
 * place, and whether the rest is read.
 */
void damage_report(const struct archive *a, const char *name, int code, const char *rest);

/*
 * recording - an archive as the tools of this family read it: records, metadata, label and end.
 */

struct recording {
	struct archive *archive; /* NULL if it is a set */
	struct archive_set *set; /* NULL if it is one archive */
	struct archive_meta *meta;
	const struct log_label *label; /* of the first volume */
	struct timespec end;           /* of the last whole record; PM_MAX_TIME_T if unknown */
	int end_error;                 /* 0, or why the end is unknown, or not that of the file */
	uint64_t meta_end;             /* where the last whole record of .meta ends */
};

/* False, after saying so, for what names several archives: a list, a directory. */
bool recording_is_one(const char *name);

/*
 * Opens one archive, by its base or one of its files, and loads its metadata. flags are those of
 * archive_open. 0, or its error; ret_recording is to be closed only after success. An end that
 * cannot be found is not an error.
 */
int recording_open(const char *name, unsigned int flags, struct recording *ret_recording);

/*
 * The same for all archives that a list with commas, or a folder, names: as one, with marks between
 * them, the label of the first and the end of the last.
 */
int recording_open_set(const char *names, struct recording *ret_recording);

/* From now on standard error gets the report of a compressed file that is refused: for main(). */
void recording_report_refusals(void);

/* Says on standard error that the end was not found, if so, as tools do that go on then. */
void recording_warn(const struct recording *r, const char *name);

void recording_close(struct recording *r);

#endif
