/*
 * conflicts - metrics that differ between inputs.
 */
#ifndef TOOLS_PMLOGEXTRACT_CONFLICTS_H
#define TOOLS_PMLOGEXTRACT_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct inputs;

struct conflicts {
	pmID *pmids; /* owned: metrics that are left out of all inputs */
	size_t n;
};

/*
 * Compares all inputs and reports the differences. With skip, the metrics are listed and left out;
 * without it, the first difference is an error, and the function returns false.
 */
bool conflicts_find(struct conflicts *c, const struct inputs *in, bool skip);
bool conflicts_has(const struct conflicts *c, pmID pmid);
void conflicts_done(struct conflicts *c);

#endif
