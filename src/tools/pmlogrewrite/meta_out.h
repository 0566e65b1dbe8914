/*
 * meta_out - writes descriptors, instance domains, labels and texts to the new archive.
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
	size_t text; /* the next descriptor */
	bool held;   /* a record has been read and not been written yet */
	bool described;
	enum meta_type type;
	union meta_body body;
};

void meta_out_begin(struct meta_out *m, struct plan *plan, struct archive_writer *writer);
void meta_out_end(struct meta_out *m);

/*
 * Writes the metadata that precedes a record of this time in the input; NULL: all of it. Returns 0
 * or an error.
 */
int meta_out_until(struct meta_out *m, const struct timespec *when);

#endif
