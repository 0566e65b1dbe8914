/*
 * dynamic_agent - an agent whose metrics come and go with pmdaDynamicPMNS: storing N in DOMAIN.0.0
 * makes lines 1 to N, each with two metrics, DOMAIN.LINE.1 and DOMAIN.LINE.2, whose value is the
 * line, named dynamic.lineLINE.one and .two. The templates are of cluster 1000.
 *
 *     dynamic_agent DOMAIN
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { TEMPLATE_CLUSTER = 1000, METRICS = 3 };

static int domain;
static int lines, lines_known = -1;
static pmdaNameSpace *tree;

static pmdaMetric metrics[METRICS] = {
    {NULL,
     {PMDA_PMID(0, 0), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, PMDA_PMUNITS(0, 0, 0, 0, 0, 0)}},
    {NULL,
     {PMDA_PMID(TEMPLATE_CLUSTER, 1), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT,
      PMDA_PMUNITS(0, 0, 0, 0, 0, 0)}},
    {NULL,
     {PMDA_PMID(TEMPLATE_CLUSTER, 2), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_COUNTER,
      PMDA_PMUNITS(0, 0, 0, 0, 0, 0)}},
};

static void add_line(unsigned int cluster, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "dynamic.%s.one", name);
	pmdaTreeInsert(tree, pmID_build((unsigned int)domain, cluster, 1), text);
	snprintf(text, sizeof(text), "dynamic.%s.two", name);
	pmdaTreeInsert(tree, pmID_build((unsigned int)domain, cluster, 2), text);
}

static int update_names(pmdaExt *ext, pmdaNameSpace **ret_tree)
{
	char name[32];

	*ret_tree = tree;
	if (lines == lines_known)
		return 0;
	pmdaTreeRelease(tree);
	pmdaTreeCreate(&tree);
	add_line(TEMPLATE_CLUSTER, "template");
	for (int line = 1; line <= lines; line++) {
		snprintf(name, sizeof(name), "line%d", line);
		add_line((unsigned int)line, name);
	}
	pmdaTreeRebuildHash(tree, 2 * lines + 2);
	lines_known = lines;
	*ret_tree = tree;
	return 1;
}

static int update_text(pmdaExt *ext, pmID pmid, int type, char **text)
{
	static char buf[40];

	snprintf(buf, sizeof(buf), "Line %u", pmID_cluster(pmid));
	*text = buf;
	return 0;
}

static void update_metric(pmdaMetric *from, pmdaMetric *to, int line)
{
	*to = *from;
	to->m_desc.pmid =
	    pmID_build((unsigned int)domain, (unsigned int)line, pmID_item(from->m_desc.pmid));
}

static void count_metrics(int *total, int *copies)
{
	*total = 2;
	*copies = lines;
}

/* ---- methods ---- */

static int get_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	unsigned int cluster = pmID_cluster(metric->m_desc.pmid);

	atom->ul = cluster == 0 ? (unsigned int)lines : cluster;
	return PMDA_FETCH_STATIC;
}

static int store(pmResult *result, pmdaExt *ext)
{
	if (pmID_cluster(result->vset[0]->pmid) != 0 || result->vset[0]->numval != 1)
		return PM_ERR_PERMISSION;
	lines = result->vset[0]->vlist[0].value.lval;
	pmdaDynamicLookupName(ext, "dynamic"); /* the table is then as the names are */
	ext->e_flags |= PMDA_EXT_NAMES_CHANGE;
	return 0;
}

static int get_text(int ident, int type, char **text, pmdaExt *ext)
{
	int r = pmdaDynamicLookupText((pmID)ident, type, text, ext);

	return r < 0 ? PM_ERR_TEXT : r;
}

static int get_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(pmdaDynamicLookupName(ext, name), name, pmid);
}

static int get_names(pmID pmid, char ***names, pmdaExt *ext)
{
	return pmdaTreeName(pmdaDynamicLookupPMID(ext, pmid), pmid, names);
}

static int get_children(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	return pmdaTreeChildren(pmdaDynamicLookupName(ext, name), name, traverse, names, status);
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;

	domain = argc == 2 ? atoi(argv[1]) : 0;
	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, "dynamic", domain, "dynamic.log", NULL);
	pmdaConnect(&dispatch);
	dispatch.version.seven.store = store;
	dispatch.version.seven.text = get_text;
	dispatch.version.seven.pmid = get_pmid;
	dispatch.version.seven.name = get_names;
	dispatch.version.seven.children = get_children;
	pmdaSetFetchCallBack(&dispatch, get_value);
	pmdaInit(&dispatch, NULL, 0, metrics, METRICS);
	pmdaExtDynamicPMNS("dynamic", NULL, 0, update_names, update_text, update_metric,
			   count_metrics, metrics, METRICS, dispatch.version.any.ext);
	pmdaDynamicMetricTable(dispatch.version.any.ext);
	pmdaMain(&dispatch);
	return dispatch.status < 0;
}
