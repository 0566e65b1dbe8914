/*
 * genmap - translates groups of metric names with symbols to C arrays (docs/spec/tools.md 8).
 */
#ifndef PMGENMAP_GENMAP_H
#define PMGENMAP_GENMAP_H

#include <stdio.h>

/*
 * Translates all of `in` to standard output; `name` is its name in messages. Returns 0; -1 for an
 * error in the text, which is printed on standard output after the output so far, as Debian's
 * pmgenmap does; or -errno if `in` cannot be read.
 */
int genmap_translate(FILE *in, const char *name);

#endif
