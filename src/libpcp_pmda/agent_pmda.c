#include "libpcp_pmda/agent_pmda.h"

#include <pitot/agent.h>

#include "libpcp_pmda/agent_names.h"
#include "libpcp_pmda/agent_table.h"
#include "libpcp_pmda/agent_text.h"

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	const struct agent_row *row = metric->m_user;

	if (row == NULL)
		return PM_ERR_PMID;
	return cluster_value(row->cluster, row->metric, row->fill, (int)inst, atom);
}

/* Refresh all requested clusters first: those that define instances before those that use them.
 * Then pmdaFetch walks the instances and calls fetch_value. */
static int table_fetch(int numpmid, pmID *pmidlist, pmResult **ret_result, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);

	s->seq++;
	for (int i = 0; i < numpmid; i++) {
		struct agent_row *row = agent_row_find(s, pmidlist[i]);

		if (row != NULL)
			agent_row_define(s, row);
	}
	for (int i = 0; i < numpmid; i++) {
		struct agent_row *row = agent_row_find(s, pmidlist[i]);

		if (row != NULL)
			agent_row_need(s, row);
	}
	return pmdaFetch(numpmid, pmidlist, ret_result, ext);
}

static void indom_refresh(struct agent_state *s, pmInDom indom)
{
	s->seq++;
	for (unsigned int i = 0; i < s->nclusters; i++) {
		struct cluster_state *c = &s->clusters[i];

		for (int j = 0; j < AGENT_CLUSTER_INDOMS && c->indoms[j] != NULL; j++) {
			if (c->indoms[j]->indom != indom || !c->def->fills[j].defines)
				continue;
			cluster_need(c, s->seq);
			cluster_sync(c, j);
		}
	}
}

/* A single instance that is known needs no refresh: clients ask for them one by one. */
static int table_instance(pmInDom indom, int inst, char *name, pmInResult **ret_result,
			  pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r;

	if (inst != (int)PM_IN_NULL || name != NULL) {
		r = pmdaInstance(indom, inst, name, ret_result, ext);
		if (r != PM_ERR_INST)
			return r;
	}
	indom_refresh(s, indom);
	return pmdaInstance(indom, inst, name, ret_result, ext);
}

static int table_text(int ident, int type, char **ret_text, pmdaExt *ext)
{
	return agent_text(pmdaExtGetData(ext), ident, type, ret_text);
}

static int table_pmid(const char *name, pmID *ret_pmid, pmdaExt *ext)
{
	return agent_names_pmid(pmdaExtGetData(ext), name, ret_pmid);
}

static int table_name(pmID pmid, char ***ret_names, pmdaExt *ext)
{
	return agent_names_of(pmdaExtGetData(ext), pmid, ret_names);
}

static int table_children(const char *name, int traverse, char ***ret_names, int **ret_status,
			  pmdaExt *ext)
{
	return agent_names_children(pmdaExtGetData(ext), name, traverse, ret_names, ret_status);
}

void agent_setup(struct agent_state *s, pmdaInterface *dispatch)
{
	pmdaSetData(dispatch, s);
	dispatch->version.four.fetch = table_fetch;
	dispatch->version.four.instance = table_instance;
	dispatch->version.four.text = table_text;
	dispatch->version.four.pmid = table_pmid;
	dispatch->version.four.name = table_name;
	dispatch->version.four.children = table_children;
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, s->indom_table, (int)s->nindoms, s->metrics, (int)s->nrows);
}

void agent_init(const struct agent *agent, pmdaInterface *dispatch)
{
	struct agent_state *s;
	int r = agent_state_new(agent, dispatch->domain, 0, &s);

	if (r < 0) {
		dispatch->status = r;
		return;
	}
	pmdaDSO(dispatch, PMDA_INTERFACE_7, s->dso_name, NULL);
	if (dispatch->status != 0) {
		agent_state_free(s);
		return;
	}
	agent_setup(s, dispatch);
}
