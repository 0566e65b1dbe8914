/* cmdline - the command line of an agent on <pcp/pmda.h>: the options that all have, and one of its
 * own. */
#ifndef AGENTS_COMMON_CMDLINE_H
#define AGENTS_COMMON_CMDLINE_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/*
 * Reads the options into dispatch, and becomes the user of -U. own is an option with an argument,
 * NULL if there is none; *ret_value is its argument where it was given. An exit code, or -1 to go
 * on.
 */
int cmdline_read(int argc, char **argv, pmdaInterface *dispatch, const pmLongOptions *own,
		 const char **ret_value);

#endif
