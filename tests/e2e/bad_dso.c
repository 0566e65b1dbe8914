/*
 * bad_dso - agents for dbpmda that lack a method, or answer with holes: one entry a mistake.
 */
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

static pmdaInstid insts[] = {{0, (char *)"red"}, {1, (char *)"blue"}};
static pmdaIndom indoms[] = {{0, 2, insts}};
static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 0), PM_TYPE_U32, 0, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 1), PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
};

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	if (metric->m_desc.type == PM_TYPE_STRING)
		atom->cp = (char *)"text";
	else
		atom->ul = 7;
	return PMDA_FETCH_STATIC;
}

static void set_up(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, (char *)"bad", NULL);
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaInit(dispatch, indoms, 1, metrics, 2);
}

#define WITHOUT(name, method)                                                                      \
	__PMDA_INIT_CALL void without_##name(pmdaInterface *dispatch);                             \
	void without_##name(pmdaInterface *dispatch)                                               \
	{                                                                                          \
		set_up(dispatch);                                                                  \
		dispatch->version.method = NULL;                                                   \
	}
WITHOUT(profile, any.profile)
WITHOUT(fetch, any.fetch)
WITHOUT(desc, any.desc)
WITHOUT(instance, any.instance)
WITHOUT(text, any.text)
WITHOUT(store, any.store)
WITHOUT(pmid, four.pmid)
WITHOUT(name, four.name)
WITHOUT(children, four.children)
WITHOUT(attribute, six.attribute)
WITHOUT(label, seven.label)

/* ---- holes ---- */

static int fetch_no_set(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = pmdaFetch(n, pmids, result, ext);

	if (r < 0)
		return r;
	(*result)->vset[n - 1] = NULL; /* lost */
	return r;
}

static int fetch_no_block(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = pmdaFetch(n, pmids, result, ext);

	for (int i = 0; r >= 0 && i < n; i++) {
		pmValueSet *set = (*result)->vset[i];

		if (set->valfmt == PM_VAL_INSITU)
			continue;
		set->vlist[0].value.pval = NULL; /* lost */
		set->valfmt = PM_VAL_SPTR;       /* nothing to free */
	}
	return r;
}

static int names_of_none(pmID pmid, char ***names, pmdaExt *ext)
{
	*names = calloc(2, sizeof(**names));
	return 2;
}

static int children_of_none(const char *name, int traverse, char ***names, int **status,
			    pmdaExt *ext)
{
	*names = calloc(2, sizeof(**names));
	*status = traverse ? NULL : calloc(2, sizeof(**status));
	return 2;
}

static int instances_of_none(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	*result = calloc(1, sizeof(**result));
	(*result)->numinst = 1;
	(*result)->namelist = calloc(1, sizeof(char *));
	return 0;
}

static int label_of_none(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	*sets = calloc(1, sizeof(**sets));
	(*sets)->inst = PM_IN_NULL;
	(*sets)->nlabels = 1;
	return 1;
}

#define HOLE(name, method, function)                                                               \
	__PMDA_INIT_CALL void hole_##name(pmdaInterface *dispatch);                                \
	void hole_##name(pmdaInterface *dispatch)                                                  \
	{                                                                                          \
		set_up(dispatch);                                                                  \
		dispatch->version.method = function;                                               \
	}
HOLE(set, any.fetch, fetch_no_set)
HOLE(block, any.fetch, fetch_no_block)
HOLE(names, four.name, names_of_none)
HOLE(children, four.children, children_of_none)
HOLE(instance, any.instance, instances_of_none)
HOLE(label, seven.label, label_of_none)
