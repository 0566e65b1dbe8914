/*
 * options - the command line of pminfo.
 */
#ifndef PMINFO_OPTIONS_H
#define PMINFO_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* What is to be shown of each metric; a bit an option. */
enum show {
	SHOW_PMID = 1u << 0,          /* -m */
	SHOW_FULL_PMID = 1u << 1,     /* -M */
	SHOW_ONELINE = 1u << 2,       /* -t */
	SHOW_DESC = 1u << 3,          /* -d */
	SHOW_FULL_INDOM = 1u << 4,    /* -I */
	SHOW_SERIES = 1u << 5,        /* -s */
	SHOW_LABELS = 1u << 6,        /* -l */
	SHOW_HELP = 1u << 7,          /* -T */
	SHOW_VALUES = 1u << 8,        /* -f, and with -F and -x */
	SHOW_ALL_INSTANCES = 1u << 9, /* -F */
	SHOW_EVENTS = 1u << 10,       /* -x */
	SHOW_FAILURES = 1u << 11,     /* -v: this alone, whatever else was asked for */
};

struct options {
	pmOptions pm;      /* the standard options; pm.optind is the first argument */
	unsigned int show; /* enum show */
	int batch;         /* metrics asked for at a time, at least 1 */
};

/*
 * Reads the command line, loads derived metrics on the way. Returns true when the program is to go
 * on; else everything is said and *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
