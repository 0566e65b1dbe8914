/*
 * chosen - which metrics and instances go over to the new archive.
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
	bool some; /* a configuration says which */
	struct chosen_metric *list;
	size_t n;
	const struct conflicts *conflicts;
};

/* config NULL: all but the conflicts. False after an error was told. */
bool chosen_read(struct chosen *c, const char *config, const struct inputs *in,
		 const struct conflicts *conflicts);
void chosen_done(struct chosen *c);

/* True if records go over as they are. */
bool chosen_everything(const struct chosen *c);

/* Leaves out of a result what is not chosen, in place; false: nothing is left. */
bool chosen_reduce(const struct chosen *c, pmHighResResult *result);

#endif
