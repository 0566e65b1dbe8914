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
	bool all_instances;  /* -f: instances of the domain, whether they have values or not */
	bool leaf_names;     /* -F: arguments are names of metrics, not of branches */
	bool external_names; /* -I */
	bool internal_ids;   /* -i */
	bool values;         /* -v */
	bool traffic;        /* -V */
};

/*
 * Reads the command line. Returns true when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
