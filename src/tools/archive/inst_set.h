/*
 * inst_set - the instances of one metric that the caller asked for.
 */
#ifndef TOOLS_ARCHIVE_INST_SET_H
#define TOOLS_ARCHIVE_INST_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct archive_meta;

/* All zero is the empty set. */
struct inst_set {
	bool all;
	int *list; /* owned; in the order of the request, each once */
	size_t n;
};

bool inst_set_has(const struct inst_set *s, int inst);

/*
 * Adds each instance that had the name, or the number if name is NULL, at any time in the archive.
 * False: no instance of the domain had it. Out of memory: exits.
 */
bool inst_set_add_name(struct inst_set *s, struct archive_meta *meta, pmInDom indom,
		       const char *name, int inst);
void inst_set_done(struct inst_set *s);

#endif
