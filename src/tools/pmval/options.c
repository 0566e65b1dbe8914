/*
 * options - the command line of pmval, and the source that it names.
 *
 * The argument may name a source of its own (docs/spec/pmapi.md 16), which counts like -h, -a or
 * -L. The source is known only after the library has read the options. Options whose check depends
 * on the source (-z, -S, -A) are therefore not passed to the library and are checked here.
 */
#include "tools/pmval/pmval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"

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

bool options_parse(struct options *o, int argc, char **argv, const struct cmdline_row *rows,
		   int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->precision = OPTIONS_ANY_FORMAT;
	o->pm.version = PMAPI_VERSION_3;
	o->pm.flags = PM_OPTFLAG_BOUNDARIES | PM_OPTFLAG_STDOUT_TZ;
	o->pm.samples = OPTIONS_ALL_SAMPLES;
	o->pm.short_usage = "[options] metricname";
	cmdline_parse(o, rows, argc, argv);
	if (o->json) /* notes would break the objects */
		o->pm.flags &= ~PM_OPTFLAG_STDOUT_TZ;
	if (o->pm.errors == 0 && (o->pm.flags & PM_OPTFLAG_EXIT) == 0) {
		if (o->pm.optind >= argc) {
			cmdline_complain(&o->pm, "error - no metricname specified");
		} else if (o->pm.optind < argc - 1) {
			cmdline_complain(&o->pm, "error - too many arguments");
		} else {
			parse_metric(o, argv[o->pm.optind]);
			if (o->align != NULL)
				o->pm.align_optarg = o->align;
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
