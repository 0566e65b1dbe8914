/*
 * sample - requests of the collector are looked up in the rows of all groups. Its entry as a DSO is
 * sample_init().
 */
#include <stdint.h>
#include <stdlib.h>

#include "sample.h"

static const char *const indom_help[SAMPLE_SERIALS] = {
    [COLOURS] = "Three colours",
    [BINS] = "Nine bins",
    [MIRAGE] = "Instances that come and go",
    [FAMILY] = "Five people",
    [HORDES] = "500 instances",
    [DODGEY] = "Instances that nobody can rely on",
    [DYNAMIC] = "No instances",
    [MANY] = "As many instances as sample.many.count says",
    [SCRAMBLED] = "Some of the nine bins, in disorder",
    [EVENTS] = "Two sources of events",
    [GHOSTS] = "Ghosts",
    [PROCESSES] = "Processes that are made up",
    [RETURNS] = "What a fetch callback answers",
};
static pmdaMetric *metrics;
static int nmetrics;
static pmdaMetric *meta; /* the one of them whose descriptor changes */

/* ---- requests ---- */

static unsigned int number_of(pmID pmid)
{
	return pmid & 0x3fffff;
}

/* For each request: 0, or the error that answers it. */
static int begin(pmdaExt *ext)
{
	traffic_count(ext->e_context, 1);
	return errors_not_ready();
}

/* A metric will be fetched: 0, or the error that it alone answers. */
static int begin_metric(unsigned int number)
{
	if (ghosts_hide(number))
		return PM_ERR_PMID;
	if (number == SCRAMBLE_BIN)
		bins_scramble();
	if (number == GHOST_STATE)
		ghosts_turn();
	if (number >= PROC_FIRST && number <= PROC_LAST)
		processes_change();
	return domains_begin(number);
}

static void end_metric(pmValueSet *vset, int error)
{
	unsigned int number = number_of(vset->pmid);

	if (number == BOGUS_BIN)
		bins_make_bogus(vset);
	if (error < 0)
		vset->numval = error; /* in situ, or without instances: nothing to be freed */
}

static int sample_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	int r = begin(ext);
	int *errors;

	for (int i = 0; r >= 0 && i < n; i++)
		r = errors_check(number_of(pmids[i]));
	if (r < 0)
		return r;
	errors = calloc((size_t)n, sizeof(*errors));
	if (errors == NULL)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		errors[i] = begin_metric(number_of(pmids[i]));
	meta_desc(&meta->m_desc);
	r = pmdaFetch(n, pmids, result, ext);
	for (int i = 0; r >= 0 && i < n; i++)
		end_metric((*result)->vset[i], errors[i]);
	free(errors);
	return r;
}

static int sample_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	const struct sample_metric *row = metric->m_user;

	if (row == NULL)
		return tree_value(metric->m_desc.pmid, atom);
	return row->value(row, (int)inst, atom);
}

static int sample_desc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	int r = begin(ext);

	if (r >= 0)
		r = errors_check(number_of(pmid));
	if (r < 0)
		return r;
	if (ghosts_hide(number_of(pmid)))
		return PM_ERR_PMID;
	meta_desc(&meta->m_desc);
	r = pmdaDesc(pmid, desc, ext);
	return r == PM_ERR_PMID ? tree_desc(pmid, desc) : r;
}

static int sample_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	int r = begin(ext);

	return r < 0 ? r : pmdaInstance(indom, inst, name, result, ext);
}

static int sample_profile(pmProfile *profile, pmdaExt *ext)
{
	traffic_count(ext->e_context, 0);
	return pmdaProfile(profile, ext);
}

static int store_value(const struct sample_metric *row, const pmValueSet *vset,
		       const pmValue *value)
{
	pmAtomValue atom;
	int r = pmExtractValue(vset->valfmt, value, row->type, &atom, row->type);

	if (r < 0)
		return r;
	r = row->store(row, value->inst, &atom);
	if (row->type == PM_TYPE_STRING)
		free(atom.cp);
	if (row->type == PM_TYPE_AGGREGATE)
		free(atom.vbp);
	return r;
}

static int sample_store(pmResult *result, pmdaExt *ext)
{
	int r = begin(ext);

	for (int i = 0; r >= 0 && i < result->numpmid; i++) {
		const pmValueSet *vset = result->vset[i];
		const struct sample_metric *row = sample_find(number_of(vset->pmid));

		if (row == NULL || row->value == NULL || ghosts_hide(row->number))
			return PM_ERR_PMID;
		if (row->store == NULL)
			return PM_ERR_PERMISSION;
		for (int j = 0; r >= 0 && j < vset->numval; j++)
			r = store_value(row, vset, &vset->vlist[j]);
	}
	return r < 0 ? r : 0;
}

static int sample_text(int ident, int type, char **text, pmdaExt *ext)
{
	const struct sample_metric *row;
	const char *found = NULL;
	int r = begin(ext);

	if (r < 0)
		return r;
	if ((type & PM_TEXT_PMID) != 0) {
		row = sample_find(number_of((pmID)ident));
		found = row != NULL ? row->help : NULL;
	} else if (pmInDom_serial((pmInDom)ident) < SAMPLE_SERIALS) {
		found = indom_help[pmInDom_serial((pmInDom)ident)];
	}
	if (found == NULL)
		return PM_ERR_TEXT;
	*text = (char *)(uintptr_t)found;
	return 0;
}

static int sample_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	int r = begin(ext);

	return r < 0 ? r : labels_get(ident, type, sets, ext);
}

static int sample_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	int r = begin(ext);

	return r < 0 ? r : pmdaTreePMID(names_tree(ext->e_domain), name, pmid);
}

static int sample_name(pmID pmid, char ***list, pmdaExt *ext)
{
	int r = begin(ext);

	return r < 0 ? r : pmdaTreeName(names_tree(ext->e_domain), pmid, list);
}

static int sample_children(const char *name, int traverse, char ***list, int **status, pmdaExt *ext)
{
	int r = begin(ext);

	return r < 0 ? r
		     : pmdaTreeChildren(names_tree(ext->e_domain), name, traverse, list, status);
}

/* ---- set-up ---- */

/* From rows to the library's table. */
static int make_metrics(void)
{
	size_t most = 0;

	for (size_t i = 0; i < sample_ngroups; i++)
		most += sample_groups[i]->nrows;
	metrics = calloc(most, sizeof(*metrics));
	if (metrics == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < sample_ngroups; i++)
		for (size_t j = 0; j < sample_groups[i]->nrows; j++) {
			const struct sample_metric *row = &sample_groups[i]->rows[j];
			pmInDom indom = row->indom == ONE_VALUE ? PM_INDOM_NULL : row->indom;

			if (row->value == NULL)
				continue;
			if (row->number == META_ITEM)
				meta = &metrics[nmetrics];
			metrics[nmetrics++] =
			    (pmdaMetric){(void *)(uintptr_t)row,
					 {row->number, row->type, indom, row->sem, row->units}};
		}
	return 0;
}

static void start_groups(void)
{
	bins_start();
	series_start();
	domains_start();
	processes_start();
	events_start();
}

void sample_setup(pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		return;
	dispatch->status = make_metrics();
	if (dispatch->status != 0)
		return;
	sample_begin(dispatch->version.any.ext);
	start_groups();
	sample_set_instances(GHOSTS, NULL, 0);
	dispatch->version.any.profile = sample_profile;
	dispatch->version.any.fetch = sample_fetch;
	dispatch->version.any.desc = sample_desc;
	dispatch->version.any.instance = sample_instance;
	dispatch->version.any.text = sample_text;
	dispatch->version.any.store = sample_store;
	dispatch->version.seven.label = sample_label;
	dispatch->version.seven.pmid = sample_pmid;
	dispatch->version.seven.name = sample_name;
	dispatch->version.seven.children = sample_children;
	pmdaSetFetchCallBack(dispatch, sample_value);
	pmdaSetLabelCallBack(dispatch, labels_of_instance);
	pmdaSetEndContextCallBack(dispatch, traffic_end);
	pmdaInit(dispatch, sample_indoms, SAMPLE_SERIALS - 1, metrics, nmetrics);
}

/* ---- the sample agent in pmcd's process ---- */

void sample_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, "sample", NULL);
	sample_setup(dispatch);
	returns_start(0);
}
