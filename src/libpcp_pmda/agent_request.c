/* agent_request - see agent_request.h. */
#include "libpcp_pmda/agent_request.h"

#include "libpcp_pmda/agent_names.h"
#include "libpcp_pmda/agent_text.h"
#include "libpcp_pmda/agent_value.h"

/*
 * In setup.c of libpcp_pmda, and NULL in an agent that has the framework linked in: that runs with
 * any libpcp_pmda, which then does not write its values straight into the answer.
 */
void setup_set_refresh(pmdaInterface *dispatch, int (*refresh)(int, pmID *, pmdaExt *))
    __attribute__((weak, visibility("hidden")));

/* The agent whose fetch is being served: a call-back for a metric that is in no table gets nothing
 * else to find it by. */
static struct agent_state *fetching;

/* ---- Before and after a request ------------------------------------------------------------- */

static int request_begin(struct agent_state *s, enum agent_request request)
{
	int r = 0;

	if (s->depth == 0 && s->hooks->begin != NULL)
		r = s->hooks->begin(request, s->ext);
	if (r >= 0)
		s->depth++;
	return r < 0 ? r : 0;
}

static int request_end(struct agent_state *s, enum agent_request request, int status)
{
	s->depth--;
	if (s->depth == 0 && s->hooks->end != NULL)
		s->hooks->end(request, status, s->ext);
	return status;
}

/* ---- Values --------------------------------------------------------------------------------- */

static int made_value(pmID pmid, int inst, pmAtomValue *atom)
{
	struct agent_row row;

	if (!agent_row_make(fetching, pmid, &row))
		return PM_ERR_PMID;
	return agent_row_value(fetching, &row, inst, atom);
}

/* The usual case of a call-back, in line: it and pmdaFetch are the whole cost of a value. */
static inline int alone_value(struct agent_row *row, int inst, pmAtomValue *atom)
{
	row->call.inst = inst;
	*atom = (pmAtomValue){.ull = 0};
	return row->metric->value.get(&row->call, atom);
}

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	struct agent_row *row = metric->m_user;

	if (row == NULL)
		return made_value(metric->m_desc.pmid, (int)inst, atom);
	if (row->plain)
		return cluster_value(row->cluster, row->metric, row->fill, (int)inst, atom);
	if (row->alone)
		return alone_value(row, (int)inst, atom);
	return agent_row_value(row->cluster->state, row, (int)inst, atom);
}

/* Refresh all requested clusters: those that define instances before those that use them. After it
 * pmdaFetch walks the instances and calls fetch_value. */
static int table_refresh(int numpmid, pmID *pmidlist, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r;

	fetching = s;
	r = s->hooks->fetch != NULL ? s->hooks->fetch(numpmid, pmidlist, ext) : 0;
	if (r < 0)
		return r;
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
	return 0;
}

/* For agents that want to know when a fetch begins and ends, or with another libpcp_pmda. */
static int table_fetch(int numpmid, pmID *pmids, pmResult **ret_result, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_FETCH);

	if (r < 0)
		return r;
	if (setup_set_refresh == NULL)
		r = table_refresh(numpmid, pmids, ext);
	if (r >= 0)
		r = pmdaFetch(numpmid, pmids, ret_result, ext);
	return request_end(s, AGENT_REQUEST_FETCH, r);
}

/* ---- Stores --------------------------------------------------------------------------------- */

static int store_set(struct agent_state *s, const pmValueSet *vset)
{
	struct agent_row *row = agent_row_find(s, vset->pmid), made;

	if (row == NULL && agent_row_make(s, vset->pmid, &made))
		row = &made;
	return row == NULL ? PM_ERR_PMID : agent_row_store(s, row, vset);
}

static int table_store(pmResult *result, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_STORE);

	if (r < 0)
		return r;
	for (int i = 0; r >= 0 && i < result->numpmid; i++)
		r = store_set(s, result->vset[i]);
	return request_end(s, AGENT_REQUEST_STORE, r < 0 ? r : 0);
}

/* ---- Descriptors, instances, texts, labels -------------------------------------------------- */

static int made_desc(const struct agent_state *s, pmID pmid, pmDesc *ret_desc)
{
	struct agent_row row;

	if (!agent_row_make(s, pmid, &row))
		return PM_ERR_PMID;
	*ret_desc = agent_row_desc(&row);
	if (row.metric->indom != NULL)
		ret_desc->indom = pmInDom_build((unsigned int)s->domain, row.metric->indom->serial);
	return 0;
}

static int table_desc(pmID pmid, pmDesc *ret_desc, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_DESC);

	if (r < 0)
		return r;
	r = pmdaDesc(pmid, ret_desc, ext);
	if (r == PM_ERR_PMID)
		r = made_desc(s, pmid, ret_desc);
	return request_end(s, AGENT_REQUEST_DESC, r);
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
static int find_instances(pmInDom indom, int inst, char *name, pmInResult **ret_result,
			  pmdaExt *ext)
{
	int r;

	if (inst != (int)PM_IN_NULL || name != NULL) {
		r = pmdaInstance(indom, inst, name, ret_result, ext);
		if (r != PM_ERR_INST)
			return r;
	}
	indom_refresh(pmdaExtGetData(ext), indom);
	return pmdaInstance(indom, inst, name, ret_result, ext);
}

static int table_instance(pmInDom indom, int inst, char *name, pmInResult **ret_result,
			  pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_INSTANCE);

	if (r < 0)
		return r;
	r = find_instances(indom, inst, name, ret_result, ext);
	return request_end(s, AGENT_REQUEST_INSTANCE, r);
}

static int table_profile(pmProfile *profile, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_PROFILE);

	return r < 0 ? r : request_end(s, AGENT_REQUEST_PROFILE, pmdaProfile(profile, ext));
}

static int table_text(int ident, int type, char **ret_text, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_TEXT);

	if (r < 0)
		return r;
	return request_end(s, AGENT_REQUEST_TEXT, agent_text(s, ident, type, ret_text));
}

static int table_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_LABEL);

	if (r < 0)
		return r;
	r = s->hooks->label != NULL ? s->hooks->label(ident, type, sets, ext) : 0;
	if (r >= 0)
		r = pmdaLabel(ident, type, sets, ext);
	return request_end(s, AGENT_REQUEST_LABEL, r);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static int table_pmid(const char *name, pmID *ret_pmid, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_NAMES);

	return r < 0 ? r : request_end(s, AGENT_REQUEST_NAMES, agent_names_pmid(s, name, ret_pmid));
}

static int table_name(pmID pmid, char ***ret_names, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_NAMES);

	return r < 0 ? r : request_end(s, AGENT_REQUEST_NAMES, agent_names_of(s, pmid, ret_names));
}

static int table_children(const char *name, int traverse, char ***ret_names, int **ret_status,
			  pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r = request_begin(s, AGENT_REQUEST_NAMES);

	if (r < 0)
		return r;
	r = agent_names_children(s, name, traverse, ret_names, ret_status);
	return request_end(s, AGENT_REQUEST_NAMES, r);
}

/* ---- Set-up --------------------------------------------------------------------------------- */

void agent_set_instances(pmdaExt *ext, const struct agent_indom *indom, pmdaInstid *set, int n)
{
	const struct agent_state *s = pmdaExtGetData(ext);

	for (unsigned int i = 0; i < s->nindoms; i++) {
		if (s->indoms[i].def != indom || !indom->own)
			continue;
		s->indom_table[i].it_set = set;
		s->indom_table[i].it_numinst = n;
	}
}

void agent_install(struct agent_state *s, pmdaInterface *dispatch)
{
	s->ext = dispatch->version.any.ext;
	for (unsigned int i = 0; i < s->nrows; i++)
		s->rows[i].call = (struct agent_call){.metric = s->rows[i].metric, .ext = s->ext};
	pmdaSetData(dispatch, s);
	if (setup_set_refresh != NULL)
		setup_set_refresh(dispatch, table_refresh);
	if (s->hooks->begin != NULL || s->hooks->end != NULL || setup_set_refresh == NULL)
		dispatch->version.any.fetch = table_fetch;
	if (s->stores || s->hooks->row != NULL)
		dispatch->version.any.store = table_store;
	dispatch->version.any.profile = table_profile;
	dispatch->version.any.desc = table_desc;
	dispatch->version.any.instance = table_instance;
	dispatch->version.any.text = table_text;
	dispatch->version.seven.pmid = table_pmid;
	dispatch->version.seven.name = table_name;
	dispatch->version.seven.children = table_children;
	dispatch->version.seven.label = table_label;
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, s->nindoms != 0 ? s->indom_table : NULL, (int)s->nindoms, s->metrics,
		 (int)s->nrows);
}

void agent_setup(const struct agent *agent, pmdaInterface *dispatch)
{
	struct agent_state *s;

	if (dispatch->status < 0)
		return;
	dispatch->status = agent_state_new(agent, dispatch->domain, 0, &s);
	if (dispatch->status == 0)
		agent_install(s, dispatch);
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
	agent_install(s, dispatch);
}
