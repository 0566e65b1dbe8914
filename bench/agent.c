/*
 * agent - the synthetic agent of the benchmarks, as DSO (bench_init) and as daemon.
 *
 * Cluster 0: 1,000 singular 64-bit counters, looked up directly. Cluster 1: item 0 over 10,000
 * instances, item 1 over 100. Values cost nothing to make, so what is measured is everything else.
 * One source runs with our libraries and with Debian's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { SINGULAR = 1000, LARGE = 10000, SMALL = 100, NMETRICS = SINGULAR + 2 };

static pmdaMetric metrics[NMETRICS];
static pmdaIndom indoms[2];

static int bench_fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	atom->ull = metric->m_desc.pmid + inst;
	return PMDA_FETCH_STATIC;
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
	if (dispatch->status != 0 || make_indom(&indoms[0], 0, LARGE) < 0 ||
	    make_indom(&indoms[1], 1, SMALL) < 0)
		return;
	for (int i = 0; i < SINGULAR; i++)
		fill_desc(&metrics[i].m_desc, PMDA_PMID(0, (unsigned int)i), PM_INDOM_NULL);
	fill_desc(&metrics[SINGULAR].m_desc, PMDA_PMID(1, 0), 0);
	fill_desc(&metrics[SINGULAR + 1].m_desc, PMDA_PMID(1, 1), 1);
	pmdaSetFetchCallBack(dispatch, bench_fetch);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, indoms, 2, metrics, NMETRICS);
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
	pmdaConnect(&dispatch);
	set_up(&dispatch);
	pmdaMain(&dispatch);
	return 0;
}
