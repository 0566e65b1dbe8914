/*
 * One request for all identifiers, one for all descriptions, one for all values.
 */
#include "tools/pminfo/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/descs.h"
#include "tools/common/instance.h"
#include "tools/pminfo/metric.h"
#include "tools/pminfo/options.h"
#include "tools/pminfo/report.h"

/* The first step that failed for a metric. */
struct failure {
	int sts;          /* 0: none */
	const char *step; /* name of the function that failed */
};

struct batch {
	int n;
	const char **names;
	pmID *pmids;
	pmDesc *descs;
	int *desc_stss;
	struct failure *failures;
	pmResult *result; /* NULL if no values are wanted or the fetch failed */
};

#define NEEDS_DESC (~(unsigned int)(SHOW_PMID | SHOW_FULL_PMID | SHOW_ONELINE | SHOW_HELP))

static void fail(struct batch *b, int i, int sts, const char *step)
{
	if (b->failures[i].sts == 0)
		b->failures[i] = (struct failure){sts, step};
}

/*
 * If other names are known, an unknown name keeps PM_ID_NULL and the next step returns the error.
 */
static void look_up_names(struct batch *b)
{
	int sts = pmLookupName(b->n, b->names, b->pmids);

	for (int i = 0; i < b->n && sts < 0; i++) {
		int alone = b->n > 1 ? pmLookupName(1, &b->names[i], &b->pmids[i]) : sts;

		if (alone < 0)
			fail(b, i, alone, "pmLookupName");
	}
}

static void look_up_descs(struct batch *b)
{
	descs_get(b->n, b->pmids, b->descs, b->desc_stss);
	for (int i = 0; i < b->n; i++)
		if (b->desc_stss[i] < 0)
			fail(b, i, b->desc_stss[i], "pmLookupDesc");
}

/* Each metric of an archive is searched from the origin on. */
static int rewind_archive(const struct options *o)
{
	if (o->pm.context != PM_CONTEXT_ARCHIVE)
		return 0;
	return pmSetMode(PM_MODE_FORW, &o->pm.origin, 0);
}

static void fetch(struct batch *b, const struct options *o)
{
	const char *step = "pmSetMode failed";
	int sts = rewind_archive(o);

	if (sts >= 0) {
		step = "pmFetch";
		sts = pmFetch(b->n, b->pmids, &b->result);
	}
	if (sts >= 0)
		return;
	b->result = NULL;
	for (int i = 0; i < b->n; i++)
		fail(b, i, sts, step);
}

static void report(const struct batch *b, const struct options *o)
{
	for (int i = 0; i < b->n; i++) {
		struct metric m = {
		    .name = b->names[i],
		    .pmid = b->pmids[i],
		    .desc = b->descs[i],
		    .values = b->result != NULL ? b->result->vset[i] : NULL,
		};

		if (b->failures[i].sts < 0)
			printf("%s: %s: %s\n", m.name, b->failures[i].step,
			       pmErrStr(b->failures[i].sts));
		else
			report_metric(&m, o);
	}
}

static int batch_alloc(struct batch *b, int n)
{
	memset(b, 0, sizeof(*b));
	b->n = n;
	b->names = calloc(n, sizeof(b->names[0]));
	b->pmids = calloc(n, sizeof(b->pmids[0]));
	b->descs = calloc(n, sizeof(b->descs[0]));
	b->desc_stss = calloc(n, sizeof(b->desc_stss[0]));
	b->failures = calloc(n, sizeof(b->failures[0]));
	if (b->names == NULL || b->pmids == NULL || b->descs == NULL || b->desc_stss == NULL ||
	    b->failures == NULL)
		return -ENOMEM;
	return 0;
}

static void batch_free(struct batch *b)
{
	if (b->result != NULL)
		pmFreeResult(b->result);
	free(b->failures);
	free(b->desc_stss);
	free(b->descs);
	free(b->pmids);
	free(b->names);
}

/* Labels of an archive are those at the time of the metric's record. */
static bool needs_fetch(const struct options *o)
{
	if ((o->show & (SHOW_VALUES | SHOW_FAILURES)) != 0)
		return true;
	return (o->show & SHOW_LABELS) != 0 && o->pm.context == PM_CONTEXT_ARCHIVE;
}

static int report_some(const struct options *o, char *const *names, int n)
{
	struct batch b;
	int sts = batch_alloc(&b, n);

	if (sts >= 0) {
		for (int i = 0; i < n; i++)
			b.names[i] = names[i];
		look_up_names(&b);
		if ((o->show & NEEDS_DESC) != 0)
			look_up_descs(&b);
		if (needs_fetch(o))
			fetch(&b, o);
		instance_forget();
		report(&b, o);
	}
	batch_free(&b);
	return sts;
}

void batch_report(const struct options *o, char *const *names, size_t n)
{
	size_t most = o->pm.context == PM_CONTEXT_ARCHIVE ? 1 : (size_t)o->batch;

	for (size_t i = 0; i < n && !ferror(stdout);) {
		size_t some = n - i < most ? n - i : most;

		if (report_some(o, names + i, (int)some) < 0)
			pmNoMem("batch", some * sizeof(pmDesc), PM_FATAL_ERR);
		i += some;
	}
}
