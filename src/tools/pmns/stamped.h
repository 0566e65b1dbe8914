/*
 * stamped - files in the order of their date stamps: lines "#define _DATESTAMP date".
 */
#ifndef PMNS_TOOLS_STAMPED_H
#define PMNS_TOOLS_STAMPED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sorts paths by the text behind _DATESTAMP in the file; files without one, and those that can't be
 * read, come first; equal ones stay as they are. print: lists them on standard output.
 */
void stamped_sort(char **paths, size_t n, bool print);

#endif
