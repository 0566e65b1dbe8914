/*
 * results - which results are ours: one block that a single free releases, and not structures that
 * a caller made piece by piece (docs/spec/pmapi.md 7).
 *
 * The free functions of the API get nothing but a pointer, so the blocks that are alive are kept
 * in a set. It is divided by address, each part with its own lock.
 */
#ifndef LIBPCP_RESULTS_H
#define LIBPCP_RESULTS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/*
 * Takes in a malloc'd block that starts with a pmResult or pmHighResResult and holds all its value
 * sets and value blocks. From now on pmFreeResult releases it. 0 or -ENOMEM.
 */
int results_add(void *block);

/*
 * True if this is the start of a known block, which from now on is none: its values are gone when
 * the caller frees it.
 */
bool results_forget(void *block);

/*
 * Releases the n value sets (NULL allowed) of a result that a caller made: those that he made as
 * well, or the known block that he borrowed them from, as a whole.
 */
void results_free_sets(pmValueSet **vsets, int n);

/* The two forms of a result differ in the last word of the stamp alone: one becomes the other. */
pmResult *results_to_usec(pmHighResResult *result);

#endif
