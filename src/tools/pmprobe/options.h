/*
 * options - the command line of pmprobe.
 */
#ifndef PMPROBE_OPTIONS_H
#define PMPROBE_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;        /* the standard options; pm.optind is the first argument */
	int batch;           /* -b: metrics fetched at a time, at least 1 */
	bool all_instances;  /* -f: list the instances of the domain, with or without values */
	bool leaf_names;     /* -F: arguments are names of metrics, not of branches */
	bool external_names; /* -I */
	bool internal_ids;   /* -i */
	bool values;         /* -v */
	bool traffic;        /* -V */
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
