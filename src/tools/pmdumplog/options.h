/*
 * options - the command line of pmdumplog.
 */
#ifndef PMDUMPLOG_OPTIONS_H
#define PMDUMPLOG_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* The sections of the output. */
enum section {
	SECTION_DESCS = 1u << 0,
	SECTION_LABELS = 1u << 1,
	SECTION_TEXTS = 1u << 2,
	SECTION_INDOM_RECORDS = 1u << 3, /* -I: the records on disk */
	SECTION_INDOMS = 1u << 4,
	SECTION_HEADING = 1u << 5,
	SECTION_HEADING_MORE = 1u << 6,
	SECTION_RECORDS = 1u << 7,
	SECTION_INDEX = 1u << 8,
};

struct options {
	pmOptions pm;
	unsigned int sections;
	bool marks; /* -M: also if metrics were chosen */
	bool sizes;
	bool reverse;
	int detail;      /* number of -x options */
	const char *raw; /* -v: the only file to dump */
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
