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
#include "tools/common/jsontext.h"
#include "tools/common/names.h"

/*
 * The command line
 */

static void load_derived(void *options)
{
	const struct options *o = options;
	int sts = pmLoadDerivedConfig(o->pm.optarg);

	if (sts >= 0)
		return;
	pmprintf("%s: derived configuration(s) error: %s\n", pmGetProgname(), pmErrStr(sts));
	pmflush();
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_ARCHIVE },
	{ PMOPT_DEBUG },
	{ PMOPT_HOST },
	{ PMOPT_CONTAINER },
	{ PMOPT_LOCALPMDA },
	{ PMOPT_SPECLOCAL },
	{ PMOPT_NAMESPACE },
	{ PMOPT_UNIQNAMES },
	{ PMOPT_ORIGIN },
	{ PMOPT_TIMEZONE },
	{ PMOPT_HOSTZONE },
	{ PMOPT_VERSION },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Protocol options") },
	{ { "batch", 1, 'b', "N", "fetch N metrics at a time for -f and -v [128]" }, CMDLINE_BATCH_N, AT(batch) },
	{ { "desc", 0, 'd', 0, "get and print metric description" }, CMDLINE_BITS, AT(show), SHOW_DESC },
	{ { "fetch", 0, 'f', 0, "fetch and print values for all instances" }, CMDLINE_BITS, AT(show), SHOW_VALUES },
	{ { "fetchall", 0, 'F', 0, "fetch and print values for non-enumerable indoms" }, CMDLINE_BITS, AT(show), SHOW_VALUES | SHOW_ALL_INSTANCES },
	{ { "fullindom", 0, 'I', 0, "print InDom in verbose format" }, CMDLINE_BITS, AT(show), SHOW_DESC | SHOW_FULL_INDOM },
	{ { "labels", 0, 'l', 0, "print InDom, metric and instance labels" }, CMDLINE_BITS, AT(show), SHOW_LABELS },
	{ { "pmid", 0, 'm', 0, "print PMID" }, CMDLINE_BITS, AT(show), SHOW_PMID },
	{ { "fullpmid", 0, 'M', 0, "print PMID in verbose format" }, CMDLINE_BITS, AT(show), SHOW_PMID | SHOW_FULL_PMID },
	{ { "series", 0, 's', 0, "print source, metric, instance series identifiers" }, CMDLINE_BITS, AT(show), SHOW_SERIES },
	{ { "oneline", 0, 't', 0, "get and display (terse) oneline text" }, CMDLINE_BITS, AT(show), SHOW_ONELINE },
	{ { "helptext", 0, 'T', 0, "get and display (verbose) help text" }, CMDLINE_BITS, AT(show), SHOW_HELP },
	{ PMAPI_OPTIONS_HEADER("Metrics options") },
	{ { "derived", 1, 'c', "FILE", "load derived metric definitions from FILE(s)" }, CMDLINE_CALL, .call = load_derived },
	{ { "events", 0, 'x', 0, "unpack and report on any fetched event records" }, CMDLINE_BITS, AT(show), SHOW_VALUES | SHOW_EVENTS },
	{ { "verify", 0, 'v', 0, "verify mode, be quiet and only report errors" }, CMDLINE_BITS, AT(show), SHOW_FAILURES },
	{ { "", 0, 'C', 0, NULL }, CMDLINE_IGNORED, .form = CMDLINE_LETTER_ONLY },
	JSONTEXT_ROW(AT(json)),
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/*
 * Reads the command line and loads derived metrics. Returns true if the program is to go on;
 * otherwise a message has been printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	memset(o, 0, sizeof(*o));
	o->batch = CMDLINE_BATCH;
	o->pm.flags = PM_OPTFLAG_STDOUT_TZ;
	o->pm.short_usage = "[options] [metricname | pmid | indom]...";
	cmdline_parse(o, rows, argc, argv);
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	if ((o->show & SHOW_FAILURES) != 0)
		o->show = SHOW_FAILURES;
	if (o->json) /* notes would break the document */
		o->pm.flags &= ~PM_OPTFLAG_STDOUT_TZ;
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
		if (o->document != NULL)
			document_indom(pmInDom_build(domain, cluster), o);
		else
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

/* Returns the exit status, as the plain report does. */
static int inform_json(int argc, char **argv, struct names *names, struct options *o)
{
	struct jsontext j = {.out = stdout};
	int status;

	o->document = &j;
	jsontext_begin(&j, NULL, '{');
	jsontext_begin(&j, "indoms", '[');
	status = add_arguments(argc, argv, names, o);
	jsontext_end(&j, ']');
	jsontext_begin(&j, "metrics", '[');
	jsontext_line(&j);
	batch_report(o, names->list, names->n);
	jsontext_end(&j, ']');
	jsontext_end(&j, '}');
	putchar('\n');
	o->document = NULL;
	return status;
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
	if (o->json) {
		status = inform_json(argc, argv, &names, o);
	} else {
		status = add_arguments(argc, argv, &names, o);
		if (o->show == 0)
			print_names(&names);
		else
			batch_report(o, names.list, names.n);
	}
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
