/*
 * options - the command line of pmlogcheck.
 */
#ifndef PMLOGCHECK_OPTIONS_H
#define PMLOGCHECK_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	bool heading;
	bool metadata_only;
	bool verbose;
	bool no_wraps;
	bool trim;          /* cut off torn ends, in place */
	bool keep_undescribed; /* with repair: copy values without a descriptor */
	const char *repair; /* base of a new archive for the whole records; or NULL */
	const char *archive;
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
