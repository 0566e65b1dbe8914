/*
 * chosen - the metrics and instances that are copied to the new archive.
 */
#ifndef TOOLS_PMLOGEXTRACT_CHOSEN_H
#define TOOLS_PMLOGEXTRACT_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "tools/archive/inst_set.h"

struct conflicts;
struct inputs;

struct chosen_metric {
	pmID pmid;
	struct inst_set insts;
};

struct chosen {
	bool some; /* a configuration chooses */
	struct chosen_metric *list;
	size_t n;
	const struct conflicts *conflicts;
};

/* config NULL: everything but the conflicts. Returns false after reporting an error. */
bool chosen_read(struct chosen *c, const char *config, const struct inputs *in,
		 const struct conflicts *conflicts);
void chosen_done(struct chosen *c);

/* True if records are copied unchanged. */
bool chosen_everything(const struct chosen *c);

/* Removes what is not chosen from a result, in place. Returns false if nothing is left. */
bool chosen_reduce(const struct chosen *c, pmHighResResult *result);

#endif
