/*
 * source - the archives that are read: as records, as values at a time, and their metadata.
 */
#ifndef TOOLS_PMLOGREDUCE_SOURCE_H
#define TOOLS_PMLOGREDUCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "libdisk/log_label.h"
#include "tools/archive/recording.h"

struct metadata;

struct source_part {
	char *name; /* owned */
	struct recording recording;
	struct metadata *metadata; /* owned */
};

struct source {
	const char *name;
	int values;  /* an interpolating context */
	int records; /* a context for records, with a mark between the archives of a list */
	struct source_part *parts; /* in the order of time */
	size_t n;
	struct log_label label; /* of the first part, with the newest version of all parts */
	struct timespec end;
};

/* Returns false after reporting an error; the caller closes the source in both cases. */
bool source_open(struct source *s, const char *name);
void source_close(struct source *s);

/* Reports the place of a damaged record, after PM_ERR_LOGREC. */
void source_report_damage(const struct source *s);

#endif
