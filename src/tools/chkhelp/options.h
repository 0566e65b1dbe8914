/*
 * options - the command line of chkhelp.
 */
#ifndef CHKHELP_OPTIONS_H
#define CHKHELP_OPTIONS_H

#include <stdbool.h>

struct options {
	bool missing;          /* -e: names of metrics that have no text */
	bool oneline;          /* -O, also where neither -O nor -H is given */
	bool help;             /* -H */
	bool all_metrics;      /* -p */
	bool all_indoms;       /* -i */
	const char *namespace; /* -n, else NULL */
	const char *file;
	char **names; /* the other arguments */
	int n_names;
};

/*
 * Reads the command line. Returns true when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
