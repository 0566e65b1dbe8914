/*
 * options - the command line of pmdumplog.
 */
#ifndef PMDUMPLOG_OPTIONS_H
#define PMDUMPLOG_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* What is to be printed. */
enum section {
	SECTION_DESCS = 1u << 0,
	SECTION_LABELS = 1u << 1,
	SECTION_TEXTS = 1u << 2,
	SECTION_INDOM_RECORDS = 1u << 3, /* -I: as they are on disk */
	SECTION_INDOMS = 1u << 4,
	SECTION_HEADING = 1u << 5,
	SECTION_HEADING_MORE = 1u << 6,
	SECTION_RECORDS = 1u << 7,
	SECTION_INDEX = 1u << 8,
};

struct options {
	pmOptions pm;
	unsigned int sections;
	bool marks; /* -M: also where metrics were chosen */
	bool sizes;
	bool reverse;
	int detail;      /* how many -x */
	const char *raw; /* -v: the file to dump; nothing else is done then */
	const char *archive;
	char **metrics; /* names that were given */
	int nmetrics;
};

/*
 * Reads the command line. True when the program is to go on; else everything is said and
 * *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

void options_done(struct options *o);

#endif
