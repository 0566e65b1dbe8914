/*
 * options - the command line of pmlogreduce.
 */
#ifndef TOOLS_PMLOGREDUCE_OPTIONS_H
#define TOOLS_PMLOGREDUCE_OPTIONS_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	bool mean;       /* of the observations, where a value at a time is the rule */
	long samples;    /* 0: all */
	long volsamples; /* 0: one volume */
	struct timespec interval;
	char *align; /* NULL: not asked for */
	const char *input;
	const char *output;
};

/* False: the program is to end with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);
void options_done(struct options *o);

#endif
