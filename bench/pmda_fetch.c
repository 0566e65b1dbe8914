/*
 * pmda_fetch - nanoseconds a value of pmdaFetch, the release of the result included.
 *
 * An agent of singular metrics looked up in each of the three ways, and one of instances. Uses
 * installed headers alone, so the same program measures any libpcp_pmda: LD_LIBRARY_PATH chooses.
 * Output: one line a case, "name ns".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { DOMAIN = 480, VALUES = 2000000, ROUNDS = 5 };

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

		/* Direct look-up wants items that count up. */
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
	a->dispatch.version.any.text = NULL; /* no warning that there is no help */
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
	int fetches = VALUES / values > 0 ? VALUES / values : 1;
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

int main(void)
{
	static const struct {
		const char *name;
		int nmetrics;
		int ninst;
		int type;
		enum lookup lookup;
	} cases[] = {
	    /* clang-format off */
		{ "u32 direct 1",      1,    0,     PM_TYPE_U32, DIRECT },
		{ "u32 direct 10",     10,   0,     PM_TYPE_U32, DIRECT },
		{ "u32 direct 100",    100,  0,     PM_TYPE_U32, DIRECT },
		{ "u32 direct 1000",   1000, 0,     PM_TYPE_U32, DIRECT },
		{ "u32 linear 10",     10,   0,     PM_TYPE_U32, LINEAR },
		{ "u32 linear 100",    100,  0,     PM_TYPE_U32, LINEAR },
		{ "u32 linear 1000",   1000, 0,     PM_TYPE_U32, LINEAR },
		{ "u32 linear 5000",   5000, 0,     PM_TYPE_U32, LINEAR },
		{ "u32 hashed 10",     10,   0,     PM_TYPE_U32, HASHED },
		{ "u32 hashed 100",    100,  0,     PM_TYPE_U32, HASHED },
		{ "u32 hashed 1000",   1000, 0,     PM_TYPE_U32, HASHED },
		{ "u32 hashed 5000",   5000, 0,     PM_TYPE_U32, HASHED },
		{ "u64 direct 10",     10,   0,     PM_TYPE_U64, DIRECT },
		{ "u64 direct 1000",   1000, 0,     PM_TYPE_U64, DIRECT },
		{ "u64 hashed 5000",   5000, 0,     PM_TYPE_U64, HASHED },
		{ "u32 10 x 100",      10,   100,   PM_TYPE_U32, DIRECT },
		{ "u32 10 x 10000",    10,   10000, PM_TYPE_U32, DIRECT },
		{ "u32 1 x 10000",     1,    10000, PM_TYPE_U32, DIRECT },
		{ "u64 10 x 100",      10,   100,   PM_TYPE_U64, DIRECT },
		{ "u64 10 x 10000",    10,   10000, PM_TYPE_U64, DIRECT },
		{ "u64 1 x 10000",     1,    10000, PM_TYPE_U64, DIRECT },
	    /* clang-format on */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct agent a = {0};

		agent_setup(&a, cases[i].nmetrics, cases[i].ninst, cases[i].type, cases[i].lookup);
		printf("%-18s %8.1f\n", cases[i].name, agent_measure(&a));
		fflush(stdout);
	}
	return 0;
}
