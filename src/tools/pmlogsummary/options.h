/*
 * options - the command line of pmlogsummary.
 */
#ifndef PMLOGSUMMARY_OPTIONS_H
#define PMLOGSUMMARY_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* The fields of a line, in their order. */
enum field {
	FIELD_STOCHASTIC = 1u << 0,
	FIELD_TIME = 1u << 1,
	FIELD_SUM = 1u << 2,
	FIELD_MIN = 1u << 3,
	FIELD_MIN_TIME = 1u << 4,
	FIELD_MAX = 1u << 5,
	FIELD_MAX_TIME = 1u << 6,
	FIELD_COUNT = 1u << 7,
	FIELD_BINS = 1u << 8,
};

struct options {
	pmOptions pm;
	unsigned int fields;
	bool verbose; /* warn about metrics without a descriptor */
	bool header; /* print a line with the names of the fields */
	bool heading;
	char delimiter;
	int bins;
	int precision;
	const char *archive;
	char **metrics; /* names on the command line */
	int nmetrics;
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
