/*
 * meta_out - descriptors, instance domains, labels and texts on their way to the new archive.
 */
#ifndef PMLOGREWRITE_META_OUT_H
#define PMLOGREWRITE_META_OUT_H

#include <stdbool.h>
#include <time.h>

#include "tools/archive/meta_walk.h"

struct archive_writer;
struct labels;
struct plan;

struct meta_out {
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

void meta_out_begin(struct meta_out *m, struct plan *plan, struct archive_writer *writer);
void meta_out_end(struct meta_out *m);

/* Before a record of this time of the input: what is known by then; all with NULL. 0; an error. */
int meta_out_until(struct meta_out *m, const struct timespec *when);

#endif
