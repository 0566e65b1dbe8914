/*
 * metadata - descriptors, instance domains, labels and texts on their way to the new archive.
 */
#ifndef PMLOGREWRITE_METADATA_H
#define PMLOGREWRITE_METADATA_H

#include <stdbool.h>
#include <time.h>

#include "tools/archive/meta_walk.h"

struct archive_writer;
struct labels;
struct plan;

struct metadata {
	struct plan *plan;
	struct archive_writer *writer;
	struct meta_walk walk;
	struct labels *labels;
	size_t text; /* the next one */
	bool held;   /* a record that was read and is not given yet */
	bool described;
	enum meta_type type;
	union meta_body body;
};

void metadata_begin(struct metadata *m, struct plan *plan, struct archive_writer *writer);
void metadata_end(struct metadata *m);

/* Before a record of this time of the input: what is known by then; all with NULL. 0; an error. */
int metadata_until(struct metadata *m, const struct timespec *when);

#endif
