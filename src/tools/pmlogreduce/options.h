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
	bool mean;       /* use the mean of the observations in place of the value at the time of the sample */
	long samples;    /* 0: no limit */
	long volsamples; /* 0: one volume */
	struct timespec interval;
	char *align; /* NULL: not given */
	const char *input;
	const char *output;
};

/* Returns false if the program is to end with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);
void options_done(struct options *o);

#endif
