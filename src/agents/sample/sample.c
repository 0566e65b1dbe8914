/*
 * sample - the agent: its rows, and what it does around requests. Its entry as a DSO is
 * sample_init().
 */
#include "sample.h"

static int (*table_fetch)(int n, pmID *pmids, pmResult **result, pmdaExt *ext);
static int (*table_desc)(pmID pmid, pmDesc *desc, pmdaExt *ext);
static pmDesc *meta; /* the descriptor that changes, in the library's table */

static unsigned int number_of(pmID pmid)
{
	return pmid & 0x3fffff;
}

/* ---- requests ---- */

/* For each request: 0, or the error that answers it. */
static int begin(enum agent_request request, pmdaExt *ext)
{
	int is_answered = request != AGENT_REQUEST_PROFILE;

	traffic_count(ext->e_context, is_answered);
	return is_answered ? errors_not_ready() : 0;
}

static void begin_metric(unsigned int number)
{
	if (number == SCRAMBLE_BIN)
		bins_scramble();
	if (number == GHOST_STATE && !ghosts_hide(number))
		ghosts_turn();
	if (number >= PROC_FIRST && number <= PROC_LAST)
		processes_change();
	domains_begin(number);
}

static int begin_fetch(int n, const pmID *pmids, pmdaExt *ext)
{
	int r = 0;

	for (int i = 0; r >= 0 && i < n; i++)
		r = errors_check(number_of(pmids[i]));
	if (r < 0)
		return r;
	for (int i = 0; i < n; i++)
		begin_metric(number_of(pmids[i]));
	meta_desc(meta);
	return 0;
}

/* Whether there is a name or nothing at all, but no metric. */
static int is_hidden(unsigned int number)
{
	return number == BAD_UNKNOWN || ghosts_hide(number);
}

static void end_metric(pmValueSet *vset)
{
	unsigned int number = number_of(vset->pmid);
	int error = is_hidden(number) ? PM_ERR_PMID : domains_error(number);

	if (number == BOGUS_BIN)
		bins_make_bogus(vset);
	if (error < 0)
		vset->numval = error; /* in situ, or without instances: nothing to be freed */
}

static int sample_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = table_fetch(n, pmids, result, ext);

	for (int i = 0; r >= 0 && i < n; i++)
		end_metric((*result)->vset[i]);
	return r;
}

static int sample_desc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	int r;

	meta_desc(meta);
	r = table_desc(pmid, desc, ext);
	if (r >= 0 && is_hidden(number_of(pmid)))
		return PM_ERR_PMID;
	return r < 0 ? r : errors_check(number_of(pmid));
}

/* ---- set-up ---- */

static const struct agent_hooks hooks = {
    .begin = begin,
    .fetch = begin_fetch,
    .row = tree_row,
    .names = names_insert,
    .label = labels_add,
};

static const struct agent sample = {
    .name = "sample",
    .domain = SAMPLE_DOMAIN,
    .clusters = sample_clusters,
    .nclusters = SAMPLE_NCLUSTERS,
    .flags = AGENT_NO_SELF | AGENT_ONE_TEXT,
    .hooks = &hooks,
};

static void find_meta(const pmdaExt *ext)
{
	for (int i = 0; i < ext->e_nmetrics; i++)
		if (number_of(ext->e_metrics[i].m_desc.pmid) == META_ITEM)
			meta = &ext->e_metrics[i].m_desc;
}

void sample_setup(pmdaInterface *dispatch)
{
	agent_setup(&sample, dispatch);
	if (dispatch->status != 0)
		return;
	find_meta(dispatch->version.any.ext);
	table_fetch = dispatch->version.any.fetch;
	table_desc = dispatch->version.any.desc;
	dispatch->version.any.fetch = sample_fetch;
	dispatch->version.any.desc = sample_desc;
	pmdaSetLabelCallBack(dispatch, labels_of_instance);
	pmdaSetEndContextCallBack(dispatch, traffic_end);
	sample_begin(dispatch->version.any.ext);
	bins_start();
	series_start();
	domains_start();
	processes_start();
	events_start();
	sample_set_instances(GHOSTS, NULL, 0);
}

/* ---- the sample agent in pmcd's process ---- */

void sample_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, "sample", NULL);
	sample_setup(dispatch);
	returns_start(0);
}
