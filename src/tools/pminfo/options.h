/*
 * options - the command line of pminfo.
 */
#ifndef PMINFO_OPTIONS_H
#define PMINFO_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* The parts of a metric's report, one bit an option. */
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
	SHOW_FAILURES = 1u << 11,     /* -v: only this, whatever other options are given */
};

struct options {
	pmOptions pm;      /* the standard options; pm.optind is the first argument */
	unsigned int show; /* enum show */
	int batch;         /* metrics requested at a time, at least 1 */
};

/*
 * Reads the command line and loads derived metrics. Returns true if the program is to go on;
 * otherwise a message has been printed and *ret_status is the exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

#endif
