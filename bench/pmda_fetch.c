/*
 * pmda_fetch - nanoseconds per value of pmdaFetch, including the release of the result.
 *
 * The agents are one with singular metrics, looked up in each of the three ways, and one with
 * instances. Uses only installed headers, so the same program measures any libpcp_pmda:
 * LD_LIBRARY_PATH selects. Output: one line per case, "name ns".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#include "quick.h"

enum { DOMAIN = 480, VALUES = 500000, ROUNDS = 5 };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	if (metric->m_desc.type == PM_TYPE_U32)
		atom->ul = inst;
	else if (metric->m_desc.type == PM_TYPE_STRING)
		atom->cp = (char *)"a text of some length";
	else
		atom->ull = inst;
	return PMDA_FETCH_STATIC;
}

enum lookup { DIRECT, LINEAR, HASHED };

struct agent {
	pmdaInterface dispatch;
	pmdaMetric *metrics;
	pmdaIndom indom;
	pmID *pmids;
	int nmetrics;
	int ninst; /* 0: singular */
};

static void agent_setup(struct agent *a, int nmetrics, int ninst, int type, enum lookup lookup)
{
	a->nmetrics = nmetrics;
	a->ninst = ninst;
	a->metrics = calloc((size_t)nmetrics, sizeof(*a->metrics));
	a->pmids = calloc((size_t)nmetrics, sizeof(*a->pmids));
	for (int m = 0; m < nmetrics; m++) {
		pmDesc *desc = &a->metrics[m].m_desc;

		/* Direct look-up needs consecutive item numbers. */
		desc->pmid = lookup == DIRECT ? (pmID)PMDA_PMID(0, m)
					      : (pmID)PMDA_PMID(1 + m / 1000, m % 1000);
		desc->type = type;
		desc->indom = ninst > 0 ? 0 : PM_INDOM_NULL;
		desc->sem = PM_SEM_INSTANT;
	}
	a->indom.it_numinst = ninst;
	a->indom.it_set = calloc((size_t)ninst + 1, sizeof(pmdaInstid));
	for (int i = 0; i < ninst; i++)
		a->indom.it_set[i].i_inst = i;
	a->dispatch.domain = DOMAIN;
	pmdaDSO(&a->dispatch, PMDA_INTERFACE_7, (char *)"bench", NULL);
	a->dispatch.version.any.text = NULL; /* avoids the warning about missing help */
	pmdaSetFetchCallBack(&a->dispatch, fetch_value);
	if (lookup == HASHED)
		pmdaSetFlags(&a->dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(&a->dispatch, ninst > 0 ? &a->indom : NULL, ninst > 0, a->metrics, nmetrics);
	if (lookup == LINEAR)
		a->dispatch.version.any.ext->e_direct = 0;
	for (int m = 0; m < nmetrics; m++)
		a->pmids[m] = a->metrics[m].m_desc.pmid;
}

static double agent_measure(struct agent *a)
{
	pmdaExt *ext = a->dispatch.version.any.ext;
	int values = a->nmetrics * (a->ninst > 0 ? a->ninst : 1);
	int wanted = quick(VALUES, 1) / values;
	int fetches = wanted > 0 ? wanted : 1;
	double best = 1e18;

	for (int r = 0; r < ROUNDS; r++) {
		double start = now_ns(), ns;

		for (int i = 0; i < fetches; i++) {
			pmResult *result;

			if (a->dispatch.version.any.fetch(a->nmetrics, a->pmids, &result, ext) < 0)
				exit(1);
			ext->e_resultCallBack(result);
		}
		ns = (now_ns() - start) / fetches / values;
		if (ns < best)
			best = ns;
	}
	return best;
}

/* Each way to look up a metric, by the number and type of metrics. */
static const struct type_case {
	const char *name;
	int type;
} types[] = {{"u32", PM_TYPE_U32}, {"u64", PM_TYPE_U64}, {"string", PM_TYPE_STRING}};

static const struct lookup_case {
	const char *name;
	enum lookup lookup;
	int most; /* metrics: the highest item number of a cluster is 1,023 */
} lookups[] = {{"direct", DIRECT, 1000}, {"linear", LINEAR, 5000}, {"hashed", HASHED, 5000}};

static void measure(const char *name, int nmetrics, int ninst, int type, enum lookup lookup)
{
	struct agent a = {0};

	agent_setup(&a, nmetrics, ninst, type, lookup);
	printf("%-28s %8.1f\n", name, agent_measure(&a));
	fflush(stdout);
	free(a.metrics);
	free(a.pmids);
	free(a.indom.it_set);
}

static void measure_singular(const struct type_case *t)
{
	static const int counts[] = {1, 10, 100, 1000, 4000, 5000};
	char name[64];

	for (size_t l = 0; l < COUNT(lookups); l++) {
		for (size_t i = 0; i < COUNT(counts) && counts[i] <= lookups[l].most; i++) {
			snprintf(name, sizeof(name), "%s %s %d", t->name, lookups[l].name,
				 counts[i]);
			measure(name, counts[i], 0, t->type, lookups[l].lookup);
		}
	}
}

static void measure_instances(const struct type_case *t)
{
	static const int counts[][2] = {{10, 1},    {10, 10},   {10, 100},
					{10, 1000}, {1, 10000}, {10, 10000}};
	char name[64];

	for (size_t i = 0; i < COUNT(counts); i++) {
		snprintf(name, sizeof(name), "%s %d x %d instances", t->name, counts[i][0],
			 counts[i][1]);
		measure(name, counts[i][0], counts[i][1], t->type, DIRECT);
	}
}

int main(void)
{
	for (size_t t = 0; t < COUNT(types); t++) {
		measure_singular(&types[t]);
		measure_instances(&types[t]);
	}
	return 0;
}
