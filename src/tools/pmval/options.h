/*
 * options - the command line of pmval: the metric, the source, the times, and the format.
 */
#ifndef PMVAL_OPTIONS_H
#define PMVAL_OPTIONS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "tools/common/wordlist.h"

#define OPTIONS_ALL_SAMPLES (-1)
#define OPTIONS_ANY_FORMAT  (-1)

struct options {
	pmOptions pm;           /* the standard options; pm.samples may be OPTIONS_ALL_SAMPLES */
	pmMetricSpec *spec;     /* the argument, parsed */
	const char *source;     /* host or archive; NULL for a local context */
	struct wordlist chosen; /* -i: names of instances */
	const char *recorded;   /* -U: an archive, record by record; else NULL */
	const char *store;      /* -x: the value to store first, else NULL */
	int precision;          /* -f: digits after the point, or OPTIONS_ANY_FORMAT */
	int width;              /* -w: characters of a column; 0: by type */
	int stamp;              /* number of -X options */
	char *archives[1];      /* the only element of pm.archives, if the source is not from -a */
	char **given_archives;  /* pm.archives as the library made it, to be freed */
	int n_given_archives;
	char *joined; /* the archives of -U and -a together */
	char *align;  /* -A, -S: applied when the source is known */
	char *start;
	bool hostzone; /* -z */
	bool delay;    /* -d: replay an archive at the speed of its times */
	bool raw;      /* -r: print counters, not their rates */
};

/* The options as rows, which end with an empty one. */
extern pmLongOptions options_rows[];
#define OPTIONS_LETTERS PMAPI_OPTIONS "df:i:K:LrU:vw:x:X"

/*
 * Reads the command line and chooses the source; the usage text comes from the rows. Returns true
 * if the program is to go on; otherwise a message has been printed and *ret_status is the exit
 * status.
 */
bool options_parse(struct options *o, int argc, char **argv, pmLongOptions *rows, const char *letters,
		   int *ret_status);

/* Frees the contents of the options; also of options that were refused. */
void options_done(struct options *o);

/* True if samples come from an archive (and have its times). */
bool options_archive(const struct options *o);

#endif
