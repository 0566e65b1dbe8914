/*
 * pminfo - prints what is known about metrics (docs/spec/tools.md 2).
 */
#include "tools/pminfo/pminfo.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/common/names.h"

/*
 * The command line
 */

/* clang-format off */
static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_ARCHIVE,
	PMOPT_DEBUG,
	PMOPT_HOST,
	PMOPT_CONTAINER,
	PMOPT_LOCALPMDA,
	PMOPT_SPECLOCAL,
	PMOPT_NAMESPACE,
	PMOPT_UNIQNAMES,
	PMOPT_ORIGIN,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("Protocol options"),
	{ "batch", 1, 'b', "N", "fetch N metrics at a time for -f and -v [128]" },
	{ "desc", 0, 'd', 0, "get and print metric description" },
	{ "fetch", 0, 'f', 0, "fetch and print values for all instances" },
	{ "fetchall", 0, 'F', 0, "fetch and print values for non-enumerable indoms" },
	{ "fullindom", 0, 'I', 0, "print InDom in verbose format" },
	{ "labels", 0, 'l', 0, "print InDom, metric and instance labels" },
	{ "pmid", 0, 'm', 0, "print PMID" },
	{ "fullpmid", 0, 'M', 0, "print PMID in verbose format" },
	{ "series", 0, 's', 0, "print source, metric, instance series identifiers" },
	{ "oneline", 0, 't', 0, "get and display (terse) oneline text" },
	{ "helptext", 0, 'T', 0, "get and display (verbose) help text" },
	PMAPI_OPTIONS_HEADER("Metrics options"),
	{ "derived", 1, 'c', "FILE", "load derived metric definitions from FILE(s)" },
	{ "events", 0, 'x', 0, "unpack and report on any fetched event records" },
	{ "verify", 0, 'v', 0, "verify mode, be quiet and only report errors" },
	PMAPI_OPTIONS_END
};

static const struct {
	int letter;
	unsigned int show;
} shows[] = {
	{ 'd', SHOW_DESC },
	{ 'f', SHOW_VALUES },
	{ 'F', SHOW_VALUES | SHOW_ALL_INSTANCES },
	{ 'I', SHOW_DESC | SHOW_FULL_INDOM },
	{ 'l', SHOW_LABELS },
	{ 'm', SHOW_PMID },
	{ 'M', SHOW_PMID | SHOW_FULL_PMID },
	{ 's', SHOW_SERIES },
	{ 't', SHOW_ONELINE },
	{ 'T', SHOW_HELP },
	{ 'v', SHOW_FAILURES },
	{ 'x', SHOW_VALUES | SHOW_EVENTS },
};
/* clang-format on */

/* Letters that have another meaning in other tools: true keeps the library from reading them. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 's' || letter == 't' || letter == 'T' || letter == 'c';
}

static void load_derived(const char *path)
{
	int sts = pmLoadDerivedConfig(path);

	if (sts >= 0)
		return;
	pmprintf("%s: derived configuration(s) error: %s\n", pmGetProgname(), pmErrStr(sts));
	pmflush();
}

static void set_option(struct options *o, int letter)
{
	if (letter == 'b') {
		cmdline_batch(&o->pm, &o->batch);
		return;
	}
	if (letter == 'c') {
		load_derived(o->pm.optarg);
		return;
	}
	for (size_t i = 0; i < sizeof(shows) / sizeof(shows[0]); i++)
		if (shows[i].letter == letter)
			o->show |= shows[i].show;
}

/*
 * Reads the command line and loads derived metrics. Returns true if the program is to go on;
 * otherwise a message has been printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	o->batch = CMDLINE_BATCH;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_options = "a:b:c:CdD:Ffh:IK:lLmMN:n:O:stTvVxzZ:?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[options] [metricname | pmid | indom]...";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	if ((o->show & SHOW_FAILURES) != 0)
		o->show = SHOW_FAILURES;
	return true;
}

/*
 * The program
 *
 * All arguments are looked up first. Instance domains are reported at once. Names of metrics are
 * collected, in the order of the arguments, and reported together at the end.
 */

static int add_pmid(pmID pmid, struct names *names)
{
	char *name;
	int sts = pmNameID(pmid, &name);

	if (sts < 0)
		return sts;
	names_add(name, names);
	free(name);
	return 0;
}

/* An argument is the number of a metric or an instance domain, or a name of the name space. */
static int add_argument(const char *arg, struct names *names, const struct options *o)
{
	unsigned int domain, cluster, item;
	int fields = 0;

	if (isdigit((unsigned char)arg[0]))
		fields = sscanf(arg, "%u.%u.%u", &domain, &cluster, &item);
	if (fields == 3)
		return add_pmid(pmID_build(domain, cluster, item), names);
	if (fields == 2) {
		report_indom(pmInDom_build(domain, cluster), o);
		return 0;
	}
	return pmTraversePMNS_r(arg, names_add, names);
}

static int report_error(const char *arg, int sts)
{
	fflush(stdout);
	if (arg[0] != '\0')
		fprintf(stderr, "Error: %s: %s\n", arg, pmErrStr(sts));
	else
		fprintf(stderr, "Error: %s\n", pmErrStr(sts));
	return 1;
}

static int add_arguments(int argc, char **argv, struct names *names, const struct options *o)
{
	int status = 0, sts;

	if (o->pm.optind >= argc) {
		sts = pmTraversePMNS_r("", names_add, names);
		if (sts < 0)
			status = report_error("", sts);
	}
	for (int i = o->pm.optind; i < argc; i++) {
		sts = add_argument(argv[i], names, o);
		if (sts < 0)
			status = report_error(argv[i], sts);
	}
	return status;
}

static void print_names(const struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		puts(names->list[i]);
}

/* Returns the exit status. */
static int inform(int argc, char **argv, struct options *o)
{
	struct names names = {0};
	int status;

	if (source_open_options(&o->pm, "make standalone connection on localhost") < 0)
		return 1;
	if (o->pm.nsflag)
		pmTrimNameSpace();
	status = add_arguments(argc, argv, &names, o);
	if (o->show == 0)
		print_names(&names);
	else
		batch_report(o, names.list, names.n);
	names_free(&names);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = inform(argc, argv, &o);
	pmFreeOptions(&o.pm);
	return output_finish(status);
}
