/*
 * options - the command line of pmlogrewrite.
 */
#ifndef PMLOGREWRITE_OPTIONS_H
#define PMLOGREWRITE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	char **configs; /* owned: the configuration files, those of a folder sorted by name */
	size_t nconfigs;
	bool check;     /* -C */
	bool desperate; /* -d */
	bool in_place;  /* -i */
	bool quick;     /* -q */
	bool rescale;   /* -s */
	bool verbose;
	bool warn;
	int version; /* of the output; 0: the version of the input */
	const char *input;
	const char *output; /* NULL: in place */
};

/* Returns false if the program is to end with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);
void options_done(struct options *o);

#endif
