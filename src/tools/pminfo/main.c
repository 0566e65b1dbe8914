/*
 * pminfo - prints what is known about metrics (docs/spec/tools.md 2).
 *
 * All arguments are looked up first. Instance domains are reported at once. Names of metrics are
 * collected, in the order of the arguments, and reported together at the end.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/source.h"
#include "tools/pminfo/batch.h"
#include "tools/pminfo/options.h"
#include "tools/pminfo/report.h"

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
