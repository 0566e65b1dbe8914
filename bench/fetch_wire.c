/*
 * fetch_wire - nanoseconds per value from an agent's callback to the bytes of an answer, the path
 * that pmcd and an agent's main loop use (libpcp_pmda/fetch.h). Output: one line per case,
 * "name ns".
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libpcp_pmda/fetch.h"
#include "libwire/result_pdu.h"
#include "quick.h"

enum { DOMAIN = 480, VALUES = 2000000, ROUNDS = 7 };

struct agent {
	pmdaInterface dispatch;
	pmdaMetric *metrics;
	pmdaIndom indom;
	pmID *pmids;
	int nmetrics;
	int ninst; /* 0: singular */
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ull = metric->m_desc.pmid + inst;
	return PMDA_FETCH_STATIC;
}

static void *need(void *p)
{
	if (p == NULL)
		exit(1);
	return p;
}

static void agent_setup(struct agent *a, int nmetrics, int ninst, int type, int flags)
{
	a->nmetrics = nmetrics;
	a->ninst = ninst;
	a->metrics = need(calloc((size_t)nmetrics, sizeof(*a->metrics)));
	a->pmids = need(calloc((size_t)nmetrics, sizeof(*a->pmids)));
	for (int m = 0; m < nmetrics; m++) {
		pmDesc *desc = &a->metrics[m].m_desc;

		/* Direct look-up needs consecutive item numbers. */
		desc->pmid =
		    flags == 0 ? (pmID)PMDA_PMID(0, m) : (pmID)PMDA_PMID(1 + m / 1000, m % 1000);
		desc->type = type;
		desc->indom = ninst > 0 ? 0 : PM_INDOM_NULL;
		desc->sem = PM_SEM_INSTANT;
	}
	a->indom.it_numinst = ninst;
	a->indom.it_set = need(calloc((size_t)ninst + 1, sizeof(pmdaInstid)));
	for (int i = 0; i < ninst; i++)
		a->indom.it_set[i].i_inst = i;
	a->dispatch.domain = DOMAIN;
	pmdaDSO(&a->dispatch, PMDA_INTERFACE_7, (char *)"bench", NULL);
	a->dispatch.version.any.text = NULL; /* avoids the warning about missing help */
	pmdaSetFetchCallBack(&a->dispatch, fetch_value);
	pmdaSetFlags(&a->dispatch, flags);
	pmdaInit(&a->dispatch, ninst > 0 ? &a->indom : NULL, ninst > 0, a->metrics, nmetrics);
	for (int m = 0; m < nmetrics; m++)
		a->pmids[m] = a->metrics[m].m_desc.pmid;
}

static void fetch_once(struct agent *a, struct buffer *b)
{
	unsigned char changes;
	struct result_pdu pdu;
	pmResult *result;

	buffer_reset(b);
	result_pdu_begin(&pdu, b, PDU_RESULT, 0, (uint32_t)a->nmetrics);
	if (pitot_fetch_sink(&a->dispatch, a->nmetrics, a->pmids, &pdu.sink, &result, &changes) !=
		1 ||
	    result_pdu_end(&pdu, 0, 0) < 0)
		exit(1);
}

static double agent_measure(struct agent *a)
{
	int values = a->nmetrics * (a->ninst > 0 ? a->ninst : 1);
	int wanted = quick(VALUES, 1) / values;
	int fetches = wanted > 0 ? wanted : 1;
	struct buffer b = BUFFER_INIT;
	double best = 0;

	for (int r = 0; r < ROUNDS; r++) {
		double start = now_ns(), ns;

		for (int i = 0; i < fetches; i++)
			fetch_once(a, &b);
		ns = (now_ns() - start) / fetches / values;
		if (r == 0 || ns < best)
			best = ns;
	}
	buffer_done(&b);
	return best;
}

int main(void)
{
	static const struct {
		const char *name;
		int nmetrics;
		int ninst;
		int type;
		int flags;
	} cases[] = {
	    /* clang-format off */
		{ "u32 direct 10",   10,   0,     PM_TYPE_U32,    0 },
		{ "u32 direct 1000", 1000, 0,     PM_TYPE_U32,    0 },
		{ "u32 hashed 1000", 1000, 0,     PM_TYPE_U32,    PMDA_EXT_FLAG_HASHED },
		{ "u64 direct 1000", 1000, 0,     PM_TYPE_U64,    0 },
		{ "u64 hashed 1000", 1000, 0,     PM_TYPE_U64,    PMDA_EXT_FLAG_HASHED },
		{ "u64 hashed 5000", 5000, 0,     PM_TYPE_U64,    PMDA_EXT_FLAG_HASHED },
		{ "float 1 x 10000", 1,    10000, PM_TYPE_FLOAT,  0 },
		{ "u32 10 x 100",    10,   100,   PM_TYPE_U32,    0 },
		{ "u32 1 x 10000",   1,    10000, PM_TYPE_U32,    0 },
		{ "u64 10 x 100",    10,   100,   PM_TYPE_U64,    0 },
		{ "u64 1 x 10000",   1,    10000, PM_TYPE_U64,    0 },
		{ "f64 10 x 10000",  10,   10000, PM_TYPE_DOUBLE, 0 },
	    /* clang-format on */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct agent a = {0};

		agent_setup(&a, cases[i].nmetrics, cases[i].ninst, cases[i].type, cases[i].flags);
		printf("%-18s %8.1f\n", cases[i].name, agent_measure(&a));
		fflush(stdout);
	}
	return 0;
}
