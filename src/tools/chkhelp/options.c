/*
 * Debian's chkhelp reads its options with getopt(3). Its messages about bad options begin with the
 * name by which the program was called.
 */
#include "tools/chkhelp/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define USAGE                                                                                      \
	"Usage: chkhelp helpfile\n"                                                                \
	"       chkhelp [options] helpfile [metricname ...]\n\n"                                   \
	"Options:\n"                                                                               \
	"  -e           exists check, only report metrics with no help text\n"                     \
	"  -H           display verbose help text\n"                                               \
	"  -i           process all the instance domains\n"                                        \
	"  -n pmnsfile  use an alternative PMNS\n"                                                 \
	"  -O           display the one line help summary\n"                                       \
	"  -p           process all the metrics (PMIDs)\n"                                         \
	"  -v version   deprecated (only version 2 format supported)\n\n"                          \
	"No options implies silently check internal integrity of the helpfile.\n"

/* Returns the number of complaints. */
static int set_version(const char *text)
{
	char *end;
	long version = strtol(text, &end, 10);
	int wrong = 0;

	if (*end != '\0') {
		fprintf(stderr, "%s: -v requires numeric argument\n", pmGetProgname());
		wrong++;
	}
	if (version != 2) {
		fprintf(stderr, "%s: deprecated option - only version 2 is supported\n",
			pmGetProgname());
		wrong++;
	}
	return wrong;
}

static int set_debug(const char *text)
{
	if (pmSetDebug(text) >= 0)
		return 0;
	fprintf(stderr, "%s: unrecognized debug options specification (%s)\n", pmGetProgname(),
		text);
	return 1;
}

/* Returns the number of complaints. */
static int set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'D':
		return set_debug(optarg);
	case 'e':
		o->missing = true;
		return 0;
	case 'H':
		o->help = true;
		return 0;
	case 'i':
		o->all_indoms = true;
		return 0;
	case 'n':
		o->namespace = optarg;
		return 0;
	case 'O':
		o->oneline = true;
		return 0;
	case 'p':
		o->all_metrics = true;
		return 0;
	case 'v':
		return set_version(optarg);
	default:
		return 1;
	}
}

static int complain_if(bool wrong, const char *text)
{
	if (wrong)
		fprintf(stderr, "%s: %s\n\n", pmGetProgname(), text);
	return wrong ? 1 : 0;
}

/* Reports options that exclude each other. */
static int check(const struct options *o)
{
	bool all = o->all_metrics || o->all_indoms;
	bool named = o->n_names > 0;
	int wrong = 0;

	wrong += complain_if(o->file == NULL, "missing helpfile argument");
	wrong += complain_if(named && all, "metricname arguments cannot be used with -i or -p");
	wrong += complain_if((o->oneline || o->help) && !named && !all,
			     "-O or -H require metricname arguments or -i or -p");
	wrong += complain_if(o->missing && all, "-e cannot be used with -i or -p");
	return wrong;
}

/*
 * Handles the long options that all our programs have. Returns true if the program ends with
 * *ret_status.
 */
static bool run_long_option(int argc, char **argv, int *ret_status)
{
	if (argc != 2 || strncmp(argv[1], "--", 2) != 0)
		return false;
	if (strcmp(argv[1], "--version") == 0) {
		fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
			pmGetAPIConfig("pcp_version"), PITOT_VERSION);
		*ret_status = 0;
		return true;
	}
	if (strcmp(argv[1], "--help") != 0)
		return false;
	fputs(USAGE, stderr);
	*ret_status = 1;
	return true;
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter, wrong = 0;

	memset(o, 0, sizeof(*o));
	if (run_long_option(argc, argv, ret_status))
		return false;
	while ((letter = getopt(argc, argv, "D:eHin:Opv:?")) != EOF)
		wrong += set_option(o, letter);
	if (optind < argc) {
		o->file = argv[optind];
		o->names = argv + optind + 1;
		o->n_names = argc - optind - 1;
	}
	wrong += check(o);
	if (wrong > 0) {
		fputs(USAGE, stderr);
		*ret_status = 1;
		return false;
	}
	if (!o->help)
		o->oneline = true;
	return true;
}
