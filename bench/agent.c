/*
 * agent - the synthetic agent of the benchmarks, as DSO (bench_init) and as daemon.
 *
 * Clusters 0 to 4: 1,000 singular 64-bit counters each. Cluster 10: items 0 to 3 over 100, 1,000,
 * 10,000 and 100,000 instances. Computing a value costs nothing, so that only the other costs are
 * measured; the exception is cluster 11, item 0, which takes 100 ms. The same source runs with
 * Pitot's and with Debian's libraries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum {
	SINGULAR = 5000,
	INDOMS = 4,
	NMETRICS = SINGULAR + INDOMS + 1,
	INSTANCES = 10, /* clusters */
	SLOW = 11,
};

static const int sizes[INDOMS] = {100, 1000, 10000, 100000};

static pmdaMetric metrics[NMETRICS];
static pmdaIndom indoms[INDOMS];

static int bench_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ull = metric->m_desc.pmid + inst;
	return PMDA_FETCH_STATIC;
}

/* The slow metric does not count for the cost of the others. */
static int slow_fetch(int numpmid, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	if (numpmid > 0 && (pmids[0] >> 10 & 0xfff) == SLOW)
		usleep(100000);
	return pmdaFetch(numpmid, pmids, result, ext);
}

static int make_indom(pmdaIndom *indom, int serial, int size)
{
	indom->it_indom = (pmInDom)serial;
	indom->it_numinst = size;
	indom->it_set = calloc((size_t)size, sizeof(*indom->it_set));
	if (indom->it_set == NULL)
		return -1;
	for (int i = 0; i < size; i++) {
		char name[16];

		snprintf(name, sizeof(name), "i%d", i);
		indom->it_set[i].i_inst = i;
		indom->it_set[i].i_name = strdup(name);
	}
	return 0;
}

static void fill_desc(pmDesc *desc, pmID pmid, pmInDom indom)
{
	const pmUnits count = PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE);

	desc->pmid = pmid;
	desc->type = PM_TYPE_U64;
	desc->indom = indom;
	desc->sem = PM_SEM_COUNTER;
	desc->units = count;
}

static void set_up(pmdaInterface *dispatch)
{
	pmdaMetric *m = metrics;

	if (dispatch->status != 0)
		return;
	for (int i = 0; i < INDOMS; i++) {
		if (make_indom(&indoms[i], i, sizes[i]) < 0)
			return;
	}
	for (int i = 0; i < SINGULAR; i++, m++)
		fill_desc(&m->m_desc, PMDA_PMID((unsigned int)i / 1000, (unsigned int)i % 1000),
			  PM_INDOM_NULL);
	for (int i = 0; i < INDOMS; i++, m++)
		fill_desc(&m->m_desc, PMDA_PMID(INSTANCES, (unsigned int)i), (pmInDom)i);
	fill_desc(&m->m_desc, PMDA_PMID(SLOW, 0), PM_INDOM_NULL);
	pmdaSetFetchCallBack(dispatch, bench_fetch);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, indoms, INDOMS, metrics, NMETRICS);
}

void __PMDA_INIT_CALL bench_init(pmdaInterface *dispatch);

void __PMDA_INIT_CALL bench_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_5, "bench", NULL);
	set_up(dispatch);
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_5, "bench", argc > 1 ? atoi(argv[1]) : 250, NULL,
		   NULL);
	dispatch.version.any.fetch = slow_fetch;
	pmdaConnect(&dispatch);
	set_up(&dispatch);
	pmdaMain(&dispatch);
	return 0;
}
