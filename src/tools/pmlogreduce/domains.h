/*
 * domains - the instance domains for each new record: the last observation, and further instances
 * that the record has values of.
 */
#ifndef TOOLS_PMLOGREDUCE_DOMAINS_H
#define TOOLS_PMLOGREDUCE_DOMAINS_H

#include <stdint.h>

#include "libbase/arena.h"
#include "libbase/hash.h"

struct archive_writer;
struct metrics;
struct sample;
struct source;

struct domains {
	const struct source *source;
	const struct metrics *metrics;
	struct hash by_indom;
	struct arena mem;  /* memory for the whole run */
	struct arena once; /* memory for one record */
};

void domains_done(struct domains *d);

/* Writes the domains before the record of a sample. Returns 0 or an error. */
int domains_put(struct domains *d, struct archive_writer *w, const struct sample *sample);

#endif
