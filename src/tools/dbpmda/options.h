/*
 * options - the command line of dbpmda (docs/spec/pmda.md 19.1).
 */
#ifndef DBPMDA_OPTIONS_H
#define DBPMDA_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	const char *names_path;
	const char *user;
	int creds_timeout_s;
	bool no_rc, keep_dso, echo, interactive;
};

/* Returns true if the program is to go on, otherwise *ret_status is its exit status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
