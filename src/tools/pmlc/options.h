/* options - the command line of pmlc (docs/spec/logger.md C1). */
#ifndef PMLC_OPTIONS_H
#define PMLC_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/pmlc/command.h"

struct options {
	pmOptions pm;
	const char *host; /* "local:" if none is given */
	bool connects;    /* the recorder to connect to before the first command: */
	enum target target;
	uint32_t number; /* process id or port */
	bool echo, interactive, logger_zone;
	const char *zone; /* NULL: not given */
};

/* Returns false if the program is to end with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
