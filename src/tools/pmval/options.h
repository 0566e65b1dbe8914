/*
 * options - the command line of pmval: what to watch, where, when, and how it is printed.
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
	pmMetricSpec *spec;     /* the argument, taken apart */
	const char *source;     /* host or archive; NULL for a local context */
	struct wordlist chosen; /* -i: names of instances */
	const char *recorded;   /* -U: an archive, record by record; else NULL */
	const char *store;      /* -x: the value to store first, else NULL */
	int precision;          /* -f: digits after the point, or OPTIONS_ANY_FORMAT */
	int width;              /* -w: characters of a column; 0: by type */
	int stamp;              /* how many -X */
	char *archives[1];      /* the only element of pm.archives, when the source is not theirs */
	char **given_archives;  /* pm.archives as the library made it */
	int n_given_archives;
	char *joined; /* the archives of -U and -a together */
	char *align;  /* -A, -S: held back until the source is known */
	char *start;
	bool hostzone; /* -z */
	bool delay;    /* -d: an archive is replayed in its own time */
	bool raw;      /* -r: counters are not turned into rates */
};

/* What there is on the command line; rows end with an empty one. */
extern pmLongOptions options_rows[];
#define OPTIONS_LETTERS PMAPI_OPTIONS "df:i:K:LrU:vw:x:X"

/*
 * Reads the command line and decides on the source; the usage tells of the rows. Returns true when the program is to go on; else
 * everything is said and *ret_status is its exit status.
 */
bool options_parse(struct options *o, int argc, char **argv, pmLongOptions *rows, const char *letters,
		   int *ret_status);

/* Frees what the options own; also of options that were refused. */
void options_done(struct options *o);

/* True if samples come from an archive (and have stamps of their own). */
bool options_archive(const struct options *o);

#endif
