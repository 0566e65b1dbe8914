/*
 * recording - an archive as the tools of this family read it: records, metadata, label and end.
 */
#ifndef TOOLS_ARCHIVE_RECORDING_H
#define TOOLS_ARCHIVE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct archive;
struct archive_meta;
struct archive_set;
struct log_label;

struct recording {
	struct archive *archive; /* NULL if it is a set */
	struct archive_set *set; /* NULL if it is one archive */
	struct archive_meta *meta;
	const struct log_label *label; /* of the first volume */
	struct timespec end;           /* of the last whole record; PM_MAX_TIME_T if unknown */
	int end_error;                 /* 0, or why the end is unknown */
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
