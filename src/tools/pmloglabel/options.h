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
	bool write; /* fields that the options change */
	const char *host;
	const char *timezone;
	bool set_pid;
	int pid;
	int version; /* 0: not given */
	const char *archive;
};

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
