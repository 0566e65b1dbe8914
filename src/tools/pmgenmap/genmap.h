/*
 * genmap - groups of metric names with symbols, as C arrays (docs/spec/tools.md 8).
 */
#ifndef PMGENMAP_GENMAP_H
#define PMGENMAP_GENMAP_H

#include <stdio.h>

/*
 * Translates all of `in` to standard output; `name` is what messages call it. Returns 0; -1 for an
 * error in the text, told on standard output in the place where the rest would have come, as
 * Debian's does; or -errno if `in` can't be read.
 */
int genmap_translate(FILE *in, const char *name);

#endif
