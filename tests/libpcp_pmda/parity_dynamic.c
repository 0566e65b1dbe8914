/*
 * parity_dynamic - pmdaDynamic functions with an agent whose metrics come and go: see
 * tests/libpcp/parity.py.
 *
 * Not here is the cluster mask, of which the reference finds the wrong prefix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { DOMAIN = 251, CLUSTER = 5, METRICS = 3 };

/* Two subtrees, each with its number of copies. */
struct subtree {
	const char *name;
	unsigned int cluster;
	int copies;
	int copies_known;
	int updates;
	pmdaNameSpace *tree;
};

static struct subtree subtrees[] = {{.name = "lines", .cluster = CLUSTER},
				    {.name = "disks", .cluster = 100}};

static int update_names(struct subtree *s, pmdaNameSpace **tree)
{
	char name[40];

	s->updates++;
	*tree = s->tree;
	if (s->tree != NULL && s->copies == s->copies_known)
		return 0;
	pmdaTreeRelease(s->tree);
	pmdaTreeCreate(&s->tree);
	for (unsigned int item = 0; item < 2; item++) {
		snprintf(name, sizeof(name), "dyn.%s.template%u", s->name, item);
		pmdaTreeInsert(s->tree, pmID_build(DOMAIN, s->cluster, item), name);
	}
	for (int id = 1; id <= s->copies; id++) {
		snprintf(name, sizeof(name), "dyn.%s.n%d.count", s->name, id);
		pmdaTreeInsert(s->tree, pmID_build(DOMAIN, s->cluster + (unsigned int)id, 0), name);
	}
	pmdaTreeRebuildHash(s->tree, s->copies + 2);
	s->copies_known = s->copies;
	*tree = s->tree;
	return 1;
}

static int update_lines(pmdaExt *ext, pmdaNameSpace **tree)
{
	(void)ext;
	return update_names(&subtrees[0], tree);
}

static int update_disks(pmdaExt *ext, pmdaNameSpace **tree)
{
	(void)ext;
	return update_names(&subtrees[1], tree);
}

static int update_text(pmdaExt *ext, pmID pmid, int type, char **text)
{
	static char buf[40];

	(void)ext;
	snprintf(buf, sizeof(buf), "text %d of %s", type, pmIDStr(pmid));
	*text = buf;
	return 0;
}

static void update_metric(pmdaMetric *from, pmdaMetric *to, int id)
{
	*to = *from;
	to->m_desc.pmid = pmID_build(DOMAIN, pmID_cluster(from->m_desc.pmid) + (unsigned int)id,
				     pmID_item(from->m_desc.pmid));
}

static void count_lines(int *total, int *copies)
{
	*total = 2;
	*copies = subtrees[0].copies;
}

static void count_disks(int *total, int *copies)
{
	*total = 2;
	*copies = subtrees[1].copies;
}

static pmdaMetric metrics[METRICS], disk_metrics[2];
static pmdaInterface dispatch;

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	(void)inst;
	atom->ul = metric->m_desc.pmid;
	return PMDA_FETCH_STATIC;
}

static void show_table(void)
{
	const pmdaExt *ext = dispatch.version.any.ext;

	printf("%d metrics%s:", ext->e_nmetrics, ext->e_metrics == metrics ? ", its own" : "");
	for (int i = 0; i < ext->e_nmetrics; i++)
		printf(" %s", pmIDStr(ext->e_metrics[i].m_desc.pmid));
	printf("\n");
}

static void show_fetch(pmID pmid)
{
	pmResult *result;

	if (pmdaFetch(1, &pmid, &result, dispatch.version.any.ext) < 0)
		return;
	printf("fetch %s: %d\n", pmIDStr(pmid), result->vset[0]->numval);
	dispatch.version.any.ext->e_resultCallBack(result);
}

static const char *which(const pmdaNameSpace *tree)
{
	for (size_t i = 0; i < 2; i++) {
		if (tree != NULL && tree == subtrees[i].tree)
			return subtrees[i].name;
	}
	return tree == NULL ? "none" : "other";
}

static void show_lookups(void)
{
	static const char *const names[] = {
	    "dyn",   "dyn.lines", "dyn.lines.n1",       "dyn.disks.n2", "dyn.disks.n2.count",
	    "dyn.x", "",          "dyn.lines.n10.count"};
	static const unsigned int clusters[] = {0,   CLUSTER, CLUSTER + 1, CLUSTER + 7,
						100, 102,     999};
	pmdaExt *ext = dispatch.version.any.ext;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf("name <%s>: %s\n", names[i], which(pmdaDynamicLookupName(ext, names[i])));
	for (size_t i = 0; i < sizeof(clusters) / sizeof(clusters[0]); i++) {
		pmID pmid = pmID_build(DOMAIN, clusters[i], 0);
		char *text = NULL;
		int sts;

		printf("pmid %s: %s\n", pmIDStr(pmid), which(pmdaDynamicLookupPMID(ext, pmid)));
		sts = pmdaDynamicLookupText(pmid, PM_TEXT_ONELINE, &text, ext);
		printf("text %d %s\n", sts, sts == 0 ? text : "");
		show_fetch(pmid);
	}
}

static void show_all(int lines, int disks)
{
	printf("== %d lines, %d disks\n", lines, disks);
	subtrees[0].copies = lines;
	subtrees[1].copies = disks;
	show_lookups();
	show_table();
	printf("updates %d %d\n", subtrees[0].updates, subtrees[1].updates);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity_dynamic");
	for (unsigned int i = 0; i < METRICS; i++) {
		metrics[i].m_desc.pmid =
		    i < 2 ? pmID_build(DOMAIN, CLUSTER, i) : pmID_build(DOMAIN, 0, 0);
		metrics[i].m_desc.type = PM_TYPE_U32;
		metrics[i].m_desc.indom = PM_INDOM_NULL;
	}
	memcpy(disk_metrics, metrics, sizeof(disk_metrics));
	for (unsigned int i = 0; i < 2; i++)
		disk_metrics[i].m_desc.pmid = pmID_build(DOMAIN, 100, i);
	dispatch.domain = DOMAIN;
	pmdaDSO(&dispatch, PMDA_INTERFACE_7, "dynamic", NULL);
	dispatch.version.any.text = NULL;
	pmdaSetFetchCallBack(&dispatch, fetch_value);
	pmdaInit(&dispatch, NULL, 0, metrics, METRICS);
	show_lookups();
	pmdaDynamicPMNS("dyn.lines", NULL, 0, update_lines, update_text, update_metric, count_lines,
			metrics, METRICS);
	show_all(3, 0);
	show_all(0, 0);
	show_all(1, 0);
	pmdaExtDynamicPMNS("dyn.lines", NULL, 0, update_lines, update_text, update_metric,
			   count_lines, metrics, METRICS, dispatch.version.any.ext);
	pmdaExtDynamicPMNS("dyn.disks", NULL, 0, update_disks, update_text, update_metric,
			   count_disks, disk_metrics, 2, dispatch.version.any.ext);
	show_all(2, 2);
	show_all(0, 3);
	show_all(10, 0);
	show_all(0, 0);
	return 0;
}
