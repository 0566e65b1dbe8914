/*
 * pmlogcheck - shared declarations of the tool's files: options, and the passes over an archive.
 */
#ifndef PMLOGCHECK_PMLOGCHECK_H
#define PMLOGCHECK_PMLOGCHECK_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "tools/archive/recording.h"
#include "tools/archive/window.h"

struct archive_files;
struct observed;

/*
 * options - the command line of pmlogcheck.
 */

struct options {
	pmOptions pm;
	bool heading;
	bool metadata_only;
	bool verbose;
	bool no_wraps;
	bool trim;             /* cut off torn ends, in place */
	bool keep_undescribed; /* with repair: copy values without a descriptor */
	const char *repair;    /* base of a new archive for the whole records; or NULL */
	const char *archive;
};

/*
 * check - the shared data of passes 1 to 3.
 */

struct check {
	const struct options *options;
	const char *name; /* the name of the archive in messages */
	struct recording recording;
	struct window window;
};

/*
 * pieces - the files of an archive that exist, each through pass 0.
 */

/* The path without a leading "./", as messages have it. */
const char *pieces_name(const char *path);

/*
 * index - pass 1: the entries of the temporal index.
 */

void index_check(const struct check *c);

/*
 * metrics - pass 2: the descriptors.
 */

void metrics_check(const struct check *c);

/*
 * observed - the last value of each instance of each metric, which the next one is compared with.
 */

struct observation {
	pmID pmid;
	int inst;
	bool known; /* there was a value after the last mark */
	unsigned int epoch;
	pmAtomValue value;
	struct timespec when;
};

/* Exits if out of memory, as does observed_last. */
struct observed *observed_new(void);
void observed_free(struct observed *o);

/* The last value, to be overwritten; a new one is not known. Takes constant time. */
struct observation *observed_get(struct observed *o, pmID pmid, int inst);

/* Makes all values unknown, because there was a mark. */
void observed_forget(struct observed *o);

/*
 * records - pass 3: the data records of the window, their order, encoding and counters.
 */

void records_check(const struct check *c);

/*
 * repair - copies the whole records of an archive to a new archive, with a new index.
 */

/*
 * Prints on standard error how much was copied and skipped. keep: values without a descriptor are
 * copied, although readers cannot show them; otherwise they are left out. Returns false after
 * reporting an error.
 */
bool repair_run(const char *archive, const char *out, bool keep);

/*
 * trim - cuts a torn end off an archive, in place. No program may still be writing the archive.
 */

/*
 * Reports the changes on standard error, and lists the files again, because some may have been
 * removed or made. Returns false after reporting an error, or if nothing is left of the archive.
 */
bool trim_run(struct archive_files *files);

#endif
