/*
 * options - the command line of pmcpp.
 */
#ifndef PMCPP_OPTIONS_H
#define PMCPP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libpmns/cpp.h"

struct options {
	pmOptions pm;
	unsigned int flags;         /* enum cpp_flags */
	struct cpp_define *defines; /* -D; the last one has no text */
	size_t n_defines;
	const char **dirs; /* -I, and the folder of the name space; the last one is NULL */
	size_t n_dirs;
	const char *input;  /* NULL: standard input */
	const char *output; /* NULL: standard output */
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
