/* options - the command line of pmlc (docs/spec/logger.md C1). */
#ifndef PMLC_OPTIONS_H
#define PMLC_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/pmlc/command.h"

struct options {
	pmOptions pm;
	const char *host; /* "local:" where none is given */
	bool connects;    /* to this recorder, before the first command: */
	enum target target;
	uint32_t number; /* process id or port */
	bool echo, interactive, logger_zone;
	const char *zone; /* NULL: none is given */
};

/* False: the program ends with *ret_status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
