/*
 * cpp_source - the texts that the preprocessor reads: its input (cpp_input, in cpp.h) and included
 * files.
 */
#ifndef LIBPMNS_CPP_SOURCE_H
#define LIBPMNS_CPP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "libpmns/macro.h"

struct buffer;
struct cpp_options;

/*
 * Finds an included file in the current folder, in that of the main file (with its slash; may be
 * empty) and in the folders of the options, in this order. True if there is such a file: its path,
 * its text appended to text, and *ret_err is 0 or the reason why it could not be read.
 */
bool cpp_source_find(const struct cpp_options *opt, struct span main_dir, struct span name,
		     char *path, size_t size, struct buffer *text, int *ret_err);

#endif
