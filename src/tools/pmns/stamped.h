/*
 * stamped - files in the order of their date stamps: lines "#define _DATESTAMP date".
 */
#ifndef PMNS_TOOLS_STAMPED_H
#define PMNS_TOOLS_STAMPED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sorts paths by the text after _DATESTAMP in each file. Files without one, and files that cannot
 * be read, come first; equal ones keep their order. print: lists them on standard output.
 */
void stamped_sort(char **paths, size_t n, bool print);

#endif
