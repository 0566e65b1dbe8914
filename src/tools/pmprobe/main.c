/*
 * pmprobe - how many values has a metric? (docs/spec/tools.md 3)
 *
 * Unknown arguments are reported while the names are gathered; then all metrics, a batch at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/instance.h"
#include "tools/common/names.h"
#include "tools/common/output.h"
#include "tools/common/source.h"
#include "tools/pmprobe/line.h"
#include "tools/pmprobe/options.h"
#include "tools/pmprobe/traffic.h"

static void add_branch(const char *branch, struct names *names)
{
	int sts = pmTraversePMNS_r(branch, names_add, names);

	if (sts < 0)
		line_print_error(branch, sts, NULL);
}

static void add_arguments(int argc, char **argv, struct names *names, const struct options *o)
{
	if (o->pm.optind >= argc)
		add_branch("", names);
	for (int i = o->pm.optind; i < argc; i++) {
		if (o->leaf_names)
			names_add(argv[i], names);
		else
			add_branch(argv[i], names);
	}
}

static void print_errors(char *const *names, int n, int sts, const char *step)
{
	for (int i = 0; i < n; i++)
		line_print_error(names[i], sts, step);
}

/* Each metric of an archive is looked for from the origin on. */
static int rewind_archive(const struct options *o)
{
	if (o->pm.context != PM_CONTEXT_ARCHIVE)
		return 0;
	return pmSetMode(PM_MODE_FORW, &o->pm.origin, 0);
}

static void probe_values(char *const *names, pmID *pmids, int n, const struct options *o)
{
	const char *step = "pmSetMode";
	pmResult *result;
	int sts = rewind_archive(o);

	if (sts >= 0) {
		step = "pmFetch";
		sts = pmFetch(n, pmids, &result);
	}
	if (sts < 0) {
		print_errors(names, n, sts, step);
		return;
	}
	instance_forget();
	for (int i = 0; i < n; i++)
		line_print_values(names[i], result->vset[i], o);
	pmFreeResult(result);
}

static void probe(char *const *names, int n, const struct options *o)
{
	pmID *pmids = calloc(n, sizeof(pmids[0]));
	int sts;

	if (pmids == NULL)
		pmNoMem("probe", n * sizeof(pmids[0]), PM_FATAL_ERR);
	sts = pmLookupName(n, (const char **)names, pmids);
	if (sts < 0 && n == 1)
		line_print_error(names[0], sts, NULL);
	else if (o->all_instances && (o->internal_ids || o->external_names))
		for (int i = 0; i < n; i++)
			line_print_instances(names[i], pmids[i], o);
	else
		probe_values(names, pmids, n, o);
	free(pmids);
}

static void probe_all(const struct names *names, const struct options *o)
{
	size_t most = o->pm.context == PM_CONTEXT_ARCHIVE ? 1 : (size_t)o->batch;

	for (size_t i = 0; i < names->n && !ferror(stdout); i += most) {
		size_t some = names->n - i < most ? names->n - i : most;

		probe(names->list + i, (int)some, o);
	}
}

/* Returns the exit status. */
static int report(int argc, char **argv, struct options *o)
{
	struct names names = {0};

	if (source_open_options(&o->pm, "make standalone connection on localhost") < 0)
		return 1;
	add_arguments(argc, argv, &names, o);
	probe_all(&names, o);
	names_free(&names);
	if (o->traffic)
		traffic_print();
	return 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = report(argc, argv, &o);
	pmFreeOptions(&o.pm);
	return output_finish(status);
}
