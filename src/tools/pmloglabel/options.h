/*
 * options - the command line of pmloglabel.
 */
#ifndef PMLOGLABEL_OPTIONS_H
#define PMLOGLABEL_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct options {
	pmOptions pm;
	bool heading, more;
	bool verbose;
	bool write; /* an option asks for it; what is not given stays */
	const char *host;
	const char *timezone;
	bool set_pid;
	int pid;
	int version; /* 0: not given */
	const char *archive;
};

/*
 * Reads the command line. True when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
