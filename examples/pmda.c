/*
 * pmda - a small agent on the classic interface: metrics, instances, names, labels, a store.
 *
 *     cc -shared -fPIC -o pmda_paint.so pmda.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     paint 401 dso paint_init /path/of/pmda_paint.so        in pmcd.conf, or as a program:
 *     paint 401 pipe binary /path/of/pmdapaint
 */
#include <stdio.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { FETCHES, LITRES };

static pmdaIndom indoms[] = {{0, 0, NULL}}; /* its instances are in a cache */
static uint64_t fetches;
static float litres[] = {10, 20, 30};
static pmdaNameSpace *names;

static pmdaMetric metrics[] = {
    {NULL,
     {PMDA_PMID(0, FETCHES), PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_COUNTER,
      PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)}},
    {NULL,
     {PMDA_PMID(0, LITRES), PM_TYPE_FLOAT, 0, PM_SEM_INSTANT, PMDA_PMUNITS(0, 0, 0, 0, 0, 0)}},
};

static int paint_fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	void *value;

	if (pmID_item(metric->m_desc.pmid) == FETCHES) {
		atom->ull = fetches;
		return PMDA_FETCH_STATIC;
	}
	if (pmdaCacheLookup(metric->m_desc.indom, (int)inst, NULL, &value) != PMDA_CACHE_ACTIVE)
		return PM_ERR_INST;
	atom->f = *(float *)value;
	return PMDA_FETCH_STATIC;
}

static int paint_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	fetches++;
	return pmdaFetch(n, pmids, result, ext);
}

/* Takes new amounts of paint. */
static int paint_store(pmResult *result, pmdaExt *ext)
{
	for (int i = 0; i < result->numpmid; i++) {
		pmValueSet *vset = result->vset[i];

		if (pmID_item(vset->pmid) != LITRES)
			return PM_ERR_PERMISSION;
		for (int j = 0; j < vset->numval; j++) {
			pmAtomValue atom;
			void *value;
			int r = pmExtractValue(vset->valfmt, &vset->vlist[j], PM_TYPE_FLOAT, &atom,
					       PM_TYPE_FLOAT);

			if (r < 0)
				return r;
			r = pmdaCacheLookup(ext->e_indoms[0].it_indom, vset->vlist[j].inst, NULL,
					    &value);
			if (r != PMDA_CACHE_ACTIVE)
				return PM_ERR_INST;
			*(float *)value = atom.f;
		}
	}
	return 0;
}

static int paint_text(int ident, int type, char **text, pmdaExt *ext)
{
	static char *lines[] = {"Requests for values", "Paint in stock"};

	if ((type & PM_TEXT_PMID) == 0 || pmID_item((pmID)ident) > LITRES)
		return PM_ERR_TEXT;
	*text = lines[pmID_item((pmID)ident)];
	return 0;
}

static int paint_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_INDOM)
		pmdaAddLabels(sets, "{\"shop\":\"corner\"}");
	return pmdaLabel(ident, type, sets, ext);
}

/* Names: an agent that is not in the name-space files of its host answers for its names itself. */
static int paint_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(names, name, pmid);
}

static int paint_name(pmID pmid, char ***list, pmdaExt *ext)
{
	return pmdaTreeName(names, pmid, list);
}

static int paint_children(const char *name, int traverse, char ***list, int **status, pmdaExt *ext)
{
	return pmdaTreeChildren(names, name, traverse, list, status);
}

static void add_names(void)
{
	pmdaTreeCreate(&names);
	pmdaTreeInsert(names, metrics[LITRES].m_desc.pmid, "paint.litres");
	pmdaTreeInsert(names, metrics[FETCHES].m_desc.pmid, "paint.fetches");
	pmdaTreeRebuildHash(names, 2);
}

static void add_instances(pmInDom indom)
{
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "red", &litres[0]);
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "green", &litres[1]);
	pmdaCacheStore(indom, PMDA_CACHE_ADD, "blue", &litres[2]);
}

static void paint_setup(pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		return;
	dispatch->version.seven.fetch = paint_fetch;
	dispatch->version.seven.store = paint_store;
	dispatch->version.seven.text = paint_text;
	dispatch->version.seven.label = paint_label;
	dispatch->version.seven.pmid = paint_pmid;
	dispatch->version.seven.name = paint_name;
	dispatch->version.seven.children = paint_children;
	pmdaSetFetchCallBack(dispatch, paint_fetch_value);
	pmdaInit(dispatch, indoms, 1, metrics, 2);
	if (dispatch->status != 0)
		return;
	add_instances(indoms[0].it_indom);
	add_names();
}

__PMDA_INIT_CALL void paint_init(pmdaInterface *dispatch);
void paint_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, "paint", NULL);
	paint_setup(dispatch);
}

int main(int argc, char **argv)
{
	pmLongOptions long_options[] = {
	    PMDAOPT_DOMAIN, PMDAOPT_LOGFILE, PMDAOPT_PIPE, PMDAOPT_INET, PMDA_OPTIONS_END,
	};
	pmdaOptions opts = {.short_options = "d:i:l:p?", .long_options = long_options};
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), 401, "paint.log", NULL);
	pmdaGetOptions(argc, argv, &opts, &dispatch);
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	pmdaOpenLog(&dispatch);
	pmdaConnect(&dispatch);
	paint_setup(&dispatch);
	pmdaMain(&dispatch);
	return dispatch.status < 0;
}
