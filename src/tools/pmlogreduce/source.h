/*
 * source - the archives that are read: as records, as values at a time, and what is known of them.
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
	int values;  /* a context that interpolates */
	int records; /* one that gives the records, and a mark where archives of a list meet */
	struct source_part *parts; /* in order of time */
	size_t n;
	struct log_label label; /* of the first part, in the newest version of all */
	struct timespec end;
};

/* False after it was told why not; to be closed in any case. */
bool source_open(struct source *s, const char *name);
void source_close(struct source *s);

/* After PM_ERR_LOGREC: where the record is. */
void source_tell_damage(const struct source *s);

#endif
