/*
 * conflicts - metrics that are something else in another input.
 */
#ifndef TOOLS_PMLOGEXTRACT_CONFLICTS_H
#define TOOLS_PMLOGEXTRACT_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct inputs;

struct conflicts {
	pmID *pmids; /* owned: in no input are they taken */
	size_t n;
};

/* Compares all inputs, and tells what differs: with skip these metrics are listed and left out,
 * without it the first one is an error, and false. */
bool conflicts_find(struct conflicts *c, const struct inputs *in, bool skip);
bool conflicts_has(const struct conflicts *c, pmID pmid);
void conflicts_done(struct conflicts *c);

#endif
