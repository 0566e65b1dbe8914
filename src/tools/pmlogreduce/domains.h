/*
 * domains - the instance domains as a new record needs them: what was observed last, and any
 * instance besides that the record has values of.
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
	struct arena mem;  /* as long as all */
	struct arena once; /* for one record */
};

void domains_done(struct domains *d);

/* Before the record of a sample. 0, or an error. */
int domains_put(struct domains *d, struct archive_writer *w, const struct sample *sample);

#endif
