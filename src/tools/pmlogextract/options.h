/*
 * options - the command line of pmlogextract.
 */
#ifndef TOOLS_PMLOGEXTRACT_OPTIONS_H
#define TOOLS_PMLOGEXTRACT_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	const char *config;
	bool desperate;
	bool first_zone;   /* -f */
	bool always_mark;  /* -m */
	bool daily;        /* -w */
	bool skip;         /* -x */
	int version;       /* of the output; 0: the version of the inputs */
	long samples;      /* 0: no limit */
	long volsamples;   /* 0: one volume */
	char *const *inputs;
	int ninputs;
	const char *output;
};

/* Returns false if the program is to end with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);
void options_done(struct options *o);

#endif
