/*
 * The argument may name a source of its own (docs/spec/pmapi.md 16), which counts like -h, -a or
 * -L. The source is known only after the library has read the options. Options whose check depends
 * on the source (-z, -S, -A) are therefore not passed to the library and are checked here.
 */
#include "tools/pmval/pmval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"

/* clang-format off */
pmLongOptions options_rows[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_ALIGN,
	PMOPT_ARCHIVE,
	PMOPT_DEBUG,
	PMOPT_GUIMODE,
	PMOPT_HOST,
	PMOPT_NAMESPACE,
	PMOPT_ORIGIN,
	PMOPT_GUIPORT,
	PMOPT_START,
	PMOPT_SAMPLES,
	PMOPT_FINISH,
	PMOPT_INTERVAL,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMOPT_SPECLOCAL,
	PMOPT_LOCALPMDA,
	PMOPT_CONTAINER,
	PMOPT_DERIVED,
	PMAPI_OPTIONS_HEADER("Reporting options"),
	{ "delay", 0, 'd', 0, "delay, pause between updates for archive replay" },
	{ "precision", 1, 'f', "N", "fixed output format with N digits precision" },
	{ "instances", 1, 'i', "INST", "comma-separated metrics instance list" },
	{ "raw", 0, 'r', 0, "output raw counter values (no rate conversion)" },
	{ "nointerp", 1, 'U', "FILE", "non-interpolated fetching; ignores interval" },
	{ "verbose", 0, 'v', 0, "increase diagnostic output" },
	{ "width", 1, 'w', "N", "set the width of each column of output" },
	{ "filter", 1, 'x', "VALUE", "store to the metric before fetching (filter)" },
	{ "timestamp", 0, 'X', 0, "include date and microseconds in reported timestamps" },
	PMAPI_OPTIONS_END
};
/* clang-format on */

static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'z' || letter == 'S' || letter == 'A';
}

/*
 * Reads a number of at least `least`; anything else is an error message with the option's letter.
 */
static int options_get_number(struct options *o, int letter, int least)
{
	char *end, text[64];
	long n = strtol(o->pm.optarg, &end, 10);

	if (*end == '\0' && n >= least && n <= PM_VAL_VLEN_MAX)
		return (int)n;
	pmsprintf(text, sizeof(text), "-%c requires +ve numeric argument", letter);
	cmdline_complain(&o->pm, text);
	return least;
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'A':
		o->align = o->pm.optarg;
		break;
	case 'S':
		o->start = o->pm.optarg;
		break;
	case 'z':
		o->hostzone = true;
		break;
	case 'd':
		o->delay = true;
		break;
	case 'f':
		o->precision = options_get_number(o, letter, 0);
		break;
	case 'i':
		wordlist_add(&o->chosen, o->pm.optarg);
		break;
	case 'r':
		o->raw = true;
		break;
	case 'U':
		o->recorded = o->pm.optarg;
		break;
	case 'v':
		break; /* accepted for compatibility, without effect */
	case 'w':
		o->width = options_get_number(o, letter, 1);
		break;
	case 'x':
		o->store = o->pm.optarg;
		break;
	case 'X':
		o->stamp++;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

static void use_source(struct options *o, int context, char *source)
{
	if ((context == PM_CONTEXT_HOST && o->pm.narchives > 0) ||
	    (context == PM_CONTEXT_ARCHIVE && o->pm.nhosts > 0))
		cmdline_complain(&o->pm, "only one host or archive allowed");
	o->pm.context = context;
	o->source = source;
}

static void use_archive(struct options *o, char *archive)
{
	use_source(o, PM_CONTEXT_ARCHIVE, archive);
	o->archives[0] = archive;
	o->pm.archives = o->archives;
	o->pm.narchives = 1;
}

/* -U names an archive like -a; both together are one set of archives. */
static void add_recorded(struct options *o)
{
	if (o->pm.narchives == 0 || strcmp(o->pm.archives[0], o->recorded) == 0)
		o->joined = strdup(o->recorded);
	else if (asprintf(&o->joined, "%s,%s", o->recorded, o->pm.archives[0]) < 0)
		o->joined = NULL;
	if (o->joined == NULL)
		pmNoMem("archives", strlen(o->recorded), PM_FATAL_ERR);
	use_archive(o, o->joined);
}

static void use_spec_source(struct options *o)
{
	static const int contexts[] = {PM_CONTEXT_HOST, PM_CONTEXT_ARCHIVE, PM_CONTEXT_LOCAL};

	if (o->spec->isarch == 1)
		use_archive(o, o->spec->source);
	else
		use_source(o, contexts[o->spec->isarch], o->spec->source);
}

/*
 * Chooses the source: the one in the argument, else the one in the options, else the default host.
 */
static void choose_source(struct options *o, bool spec_has_source)
{
	o->given_archives = o->pm.archives;
	o->n_given_archives = o->pm.narchives;
	if (o->recorded != NULL && !o->pm.Lflag)
		add_recorded(o);
	if (o->pm.Lflag)
		o->pm.context = PM_CONTEXT_LOCAL;
	else if (spec_has_source)
		use_spec_source(o);
	else if (o->pm.context == PM_CONTEXT_ARCHIVE)
		o->source = o->pm.archives[0];
	else
		use_source(o, PM_CONTEXT_HOST,
			   o->pm.nhosts > 0 ? o->pm.hosts[0] : (char *)SOURCE_DEFAULT_HOST);
}

static void parse_metric(struct options *o, const char *arg)
{
	static char none[] = "";
	char *message;
	bool parsed = pmParseMetricSpec(arg, 0, none, &o->spec, &message) >= 0;

	if (!parsed) {
		pmprintf("%s", message);
		free(message);
		o->spec = NULL;
		o->pm.errors++;
	}
	choose_source(o, parsed && o->spec->source != none);
}

static void give_back(struct options *o)
{
	if (o->align != NULL)
		o->pm.align_optarg = o->align;
	if (o->start != NULL)
		o->pm.start_optarg = o->start;
	if (o->hostzone)
		o->pm.tzflag = 1;
}

/* Reports options that exclude each other. */
static void options_check(struct options *o)
{
	bool window =
	    o->pm.start_optarg != NULL || o->pm.align_optarg != NULL || o->pm.origin_optarg != NULL;

	if (o->pm.tzflag && o->pm.timezone != NULL)
		cmdline_complain(&o->pm, "at most one of -Z and -z allowed");
	if (window && !options_archive(o))
		cmdline_complain(&o->pm, "time window options are supported for archives only");
	if (o->recorded != NULL && !options_archive(o))
		cmdline_complain(&o->pm, "uninterpolated mode can only be used with archives");
	if (o->delay && !options_archive(o))
		cmdline_complain(&o->pm, "delay can only be used with archives");
	else if (o->delay && o->pm.guiflag)
		cmdline_complain(&o->pm, "guiflag cannot be used with delay");
}

bool options_parse(struct options *o, int argc, char **argv, pmLongOptions *rows,
		   const char *letters, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	o->precision = OPTIONS_ANY_FORMAT;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.flags = PM_OPTFLAG_BOUNDARIES | PM_OPTFLAG_STDOUT_TZ;
	o->pm.samples = OPTIONS_ALL_SAMPLES;
	o->pm.short_options = letters;
	o->pm.long_options = rows;
	o->pm.short_usage = "[options] metricname";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (o->hostzone && o->pm.timezone != NULL)
		cmdline_complain(&o->pm, "at most one of -Z and -z allowed");
	if (o->pm.errors == 0 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		if (o->pm.optind >= argc) {
			cmdline_complain(&o->pm, "error - no metricname specified");
		} else if (o->pm.optind < argc - 1) {
			cmdline_complain(&o->pm, "error - too many arguments");
		} else {
			parse_metric(o, argv[o->pm.optind]);
			give_back(o);
			options_check(o);
		}
	}
	return cmdline_accept(&o->pm, ret_status);
}

void options_done(struct options *o)
{
	if (o->pm.archives == o->archives) {
		o->pm.archives = o->given_archives;
		o->pm.narchives = o->n_given_archives;
	}
	pmFreeOptions(&o->pm);
	if (o->spec != NULL)
		pmFreeMetricSpec(o->spec);
	o->spec = NULL;
	wordlist_done(&o->chosen);
	free(o->joined);
	o->joined = NULL;
}

bool options_archive(const struct options *o)
{
	return o->pm.context == PM_CONTEXT_ARCHIVE;
}
