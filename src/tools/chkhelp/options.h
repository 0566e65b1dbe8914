/*
 * options - the command line of chkhelp.
 */
#ifndef CHKHELP_OPTIONS_H
#define CHKHELP_OPTIONS_H

#include <stdbool.h>

struct options {
	bool missing;          /* -e: names of metrics that have no text */
	bool oneline;          /* -O, also if neither -O nor -H is given */
	bool help;             /* -H */
	bool all_metrics;      /* -p */
	bool all_indoms;       /* -i */
	const char *namespace; /* -n, else NULL */
	const char *file;
	char **names; /* the other arguments */
	int n_names;
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
