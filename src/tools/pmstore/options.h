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
	bool force;             /* -f: store where there is no value yet */
	bool confirm;           /* -F: what is fetched afterwards is the new value */
	const char *metric;     /* the arguments */
	const char *value;
};

/*
 * Reads the command line. Returns true when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

/* Frees what the options own; also of options that were refused. */
void options_done(struct options *o);

#endif
