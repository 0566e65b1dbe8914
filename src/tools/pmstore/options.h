/*
 * options - the command line of pmstore.
 */
#ifndef PMSTORE_OPTIONS_H
#define PMSTORE_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/common/wordlist.h"

struct options {
	pmOptions pm;           /* the standard options */
	struct wordlist chosen; /* -i: names of instances */
	bool force;             /* -f: also store if there is no value yet */
	bool confirm;           /* -F: fetch again afterwards to print the new value */
	const char *metric;     /* the arguments */
	const char *value;
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

/* Frees the contents of the options; also of options that were refused. */
void options_done(struct options *o);

#endif
