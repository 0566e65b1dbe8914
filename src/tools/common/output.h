/*
 * output - standard output: on a full disk, closed, or a pipe whose reader has ended, at times.
 *
 * A program that links this has descriptors 0 to 2 from its start, even if its parent closed them.
 */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

#include <stdbool.h>

/* Flushes standard output. Returns false once a write has failed: what follows is in vain. */
bool output_flush(void);

/*
 * Flushes for the last time. Returns status, or 1 where a write has failed; that is reported on
 * standard error, except for a pipe whose reader has ended: no reader needs the rest.
 */
int output_finish(int status);

#endif
