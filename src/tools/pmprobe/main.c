/*
 * pmprobe - prints how many values a metric has (docs/spec/tools.md 3).
 *
 * Unknown arguments are reported while the names are collected. Then all metrics are fetched, a
 * batch at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/descs.h"
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

/* Each metric of an archive is searched from the origin on. */
static int rewind_archive(const struct options *o)
{
	if (o->pm.context != PM_CONTEXT_ARCHIVE)
		return 0;
	return pmSetMode(PM_MODE_FORW, &o->pm.origin, 0);
}

/* Metrics that are requested together. */
struct batch {
	int n;
	char *const *names;
	pmID *pmids;
	pmDesc *descs; /* NULL if the options need none */
	int *stss;     /* errors of the descriptions */
};

static void probe_values(const struct batch *b, const struct options *o)
{
	const char *step = "pmSetMode";
	pmResult *result = NULL;
	int sts = rewind_archive(o);

	if (sts >= 0) {
		step = "pmFetch";
		sts = pmFetch(b->n, b->pmids, &result);
	}
	instance_forget();
	for (int i = 0; i < b->n; i++) {
		if (sts < 0)
			line_print_error(b->names[i], sts, step);
		else if (b->descs != NULL && b->stss[i] < 0)
			line_print_error(b->names[i], b->stss[i], "pmLookupDesc");
		else
			line_print_values(b->names[i], result->vset[i],
					  b->descs != NULL ? &b->descs[i] : NULL, o);
	}
	if (sts >= 0)
		pmFreeResult(result);
}

static void probe_instances(const struct batch *b, const struct options *o)
{
	for (int i = 0; i < b->n; i++) {
		if (b->stss[i] < 0)
			line_print_error(b->names[i], b->stss[i], "pmLookupDesc");
		else
			line_print_instances(b->names[i], &b->descs[i], o);
	}
}

static void look_up_descs(struct batch *b)
{
	b->descs = calloc(b->n, sizeof(b->descs[0]));
	b->stss = calloc(b->n, sizeof(b->stss[0]));
	if (b->descs == NULL || b->stss == NULL)
		pmNoMem("probe", b->n * sizeof(b->descs[0]), PM_FATAL_ERR);
	descs_get(b->n, b->pmids, b->descs, b->stss);
}

static void probe(char *const *names, int n, const struct options *o)
{
	struct batch b = {.n = n, .names = names, .pmids = calloc(n, sizeof(pmID))};
	bool instances = o->internal_ids || o->external_names;
	int sts;

	if (b.pmids == NULL)
		pmNoMem("probe", n * sizeof(pmID), PM_FATAL_ERR);
	sts = pmLookupName(n, (const char **)names, b.pmids);
	if (sts < 0 && n == 1) {
		line_print_error(names[0], sts, NULL);
	} else {
		if (instances || o->values)
			look_up_descs(&b);
		if (instances && o->all_instances)
			probe_instances(&b, o);
		else
			probe_values(&b, o);
	}
	free(b.stss);
	free(b.descs);
	free(b.pmids);
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
