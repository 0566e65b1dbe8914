/*
 * tracing - what the collector asks for. Each request holds the lock of collector.h from its
 * beginning to its end; the values that it returns are copies.
 *
 * In pmcd's process the thread starts with the first request: one that ran before pmcd goes into
 * the background would be gone.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "config.h"
#include "control.h"
#include "fields.h"
#include "instances.h"
#include "metrics.h"
#include "names.h"
#include "queues.h"
#include "tracing.h"
#include "worker.h"

enum {
	DRAIN_MS = 20,
	PROCESS_MS =
	    3000, /* that a store may wait; others do not wait: pmcd does not block on a process */
	NAME = 256,
};

static pmdaIndom indoms[TRACING_INDOMS];
static pmdaMetric *metrics;
static unsigned int nmetrics, metrics_room;
static unsigned int nfields_known; /* of the fields that are among them */
static pmdaNameSpace *tree;
static pmdaExt *extension;
static const struct metrics_agent *agent;
static unsigned int nrecords; /* streams whose events this fetch has asked for */

/* ---- metrics and names ---- */

static int add_metric(pmID pmid, int type, pmInDom indom, int sem, pmUnits units)
{
	if (nmetrics == metrics_room) {
		unsigned int room = metrics_room == 0 ? 128 : 2 * metrics_room;
		pmdaMetric *grown = realloc(metrics, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		metrics = grown;
		metrics_room = room;
	}
	metrics[nmetrics++] = (pmdaMetric){NULL, {pmid, type, indom, sem, units}};
	return 0;
}

static int add_field_metrics(int domain)
{
	const pmUnits none = PMDA_PMUNITS(0, 0, 0, 0, 0, 0);
	int r = 0;

	for (; r == 0 && nfields_known < nfields; nfields_known++)
		if (fields[nfields_known].metric != NULL)
			r = add_metric(fields_pmid(domain, (int)nfields_known),
				       fields[nfields_known].type, PM_INDOM_NULL, PM_SEM_INSTANT,
				       none);
	return r;
}

static void make_tree(int domain)
{
	char name[NAME];
	int n = 0;

	if (tree != NULL)
		pmdaTreeRelease(tree);
	tree = NULL;
	if (pmdaTreeCreate(&tree) < 0)
		return;
	for (size_t i = 0; i < metrics_nrows; i++, n++) {
		const struct metrics_row *row = &metrics_rows[i];

		snprintf(name, sizeof(name), "tracing.%s", row->name);
		pmdaTreeInsert(tree, pmID_build((unsigned int)domain, row->cluster, row->item),
			       name);
	}
	for (unsigned int i = 0; i < nfields; i++, n++) {
		if (fields[i].metric == NULL)
			continue;
		snprintf(name, sizeof(name), "tracing.field.%s", fields[i].metric);
		pmdaTreeInsert(tree, fields_pmid(domain, (int)i), name);
	}
	pmdaTreeRebuildHash(tree, n);
}

/* Fields have come: they are metrics from now on. */
static void add_fields(pmdaExt *ext)
{
	add_field_metrics(ext->e_domain);
	pmdaRehash(ext, metrics, (int)nmetrics);
	make_tree(ext->e_domain);
	ext->e_flags |= PMDA_EXT_NAMES_CHANGE;
}

/* ---- requests ---- */

/*
 * Requests of this thread that are under way. The library asks our own methods for a description
 * and a name while pmdaFetch meets a metric that is in no table: the outermost request holds the
 * lock, and what is inside it neither takes the lock again nor changes the tables that pmdaFetch
 * walks.
 */
static _Thread_local unsigned int depth;

static void tracing_begin(pmdaExt *ext)
{
	int r;

	if (depth++ > 0)
		return;
	r = worker_start();
	collector_lock();
	if (r < 0)
		collector_failed("no thread: %s", pmErrStr(r));
	if (queues_update())
		add_fields(ext);
	instances_update();
}

static void end(void)
{
	if (--depth == 0)
		collector_unlock();
}

/* The metrics of this fetch. */
static void look(int n, const pmID *pmids, bool *ret_events)
{
	bool streams = false;

	*ret_events = false;
	for (int i = 0; i < n; i++) {
		unsigned int cluster = pmID_cluster(pmids[i]);

		if (cluster == TRACING_STREAM && pmID_item(pmids[i]) == METRICS_EVENTS)
			*ret_events = true;
		streams = streams || cluster == TRACING_STREAM || cluster == TRACING_CONTROL;
	}
	if (*ret_events)
		collector_drain(DRAIN_MS);
	if (*ret_events && queues_update())
		add_fields(extension);
	if (*ret_events)
		instances_update();
	for (struct stream *s = streams ? collector.streams : NULL; s != NULL; s = s->next)
		queues_look(s);
	agent = metrics_look();
}

static int tracing_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	bool events;
	int r;

	tracing_begin(ext);
	look(n, pmids, &events);
	nrecords = 0;
	queues_begin_fetch();
	r = pmdaFetch(n, pmids, result, ext);
	if (events && r >= 0)
		queues_watch(ext->e_context, nrecords == collector.nstreams);
	end();
	return r;
}

static int tracing_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	const struct metrics_row *row = metrics_find(metric->m_desc.pmid);
	void *thing;

	if (row == NULL)
		return fields_number(metric->m_desc.pmid) >= 0 ? PMDA_FETCH_NOVALUES : PM_ERR_PMID;
	if (row->serial == METRICS_NO_INDOM)
		return metrics_value(row, agent, atom);
	thing = instances_find(row->serial, inst);
	if (thing == NULL)
		return PM_ERR_INST;
	if (row->type != PM_TYPE_HIGHRES_EVENT)
		return metrics_value(row, thing, atom);
	nrecords++;
	return queues_records(thing, extension->e_context, atom);
}

static int tracing_desc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = pmdaDesc(pmid, desc, ext);
	end();
	return r;
}

static int tracing_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = pmdaInstance(indom, inst, name, result, ext);
	end();
	return r;
}

static int tracing_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = pmdaTreePMID(tree, name, pmid);
	end();
	return r;
}

static int tracing_name(pmID pmid, char ***list, pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = pmdaTreeName(tree, pmid, list);
	end();
	return r;
}

static int tracing_children(const char *name, int traverse, char ***list, int **status,
			    pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = pmdaTreeChildren(tree, name, traverse, list, status);
	end();
	return r;
}

static int tracing_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	int r;

	tracing_begin(ext);
	r = labels_get(ident, type, sets, ext);
	end();
	return r;
}

/* ---- help ---- */

static const char *field_help(int number)
{
	static char text[NAME];
	char event[NAME / 2];

	names_json(fields[number].event, event, sizeof(event));
	snprintf(text, sizeof(text), "Parameter of an event: field %s of %s", fields[number].name,
		 event);
	return text;
}

static int tracing_text(int ident, int type, char **text, pmdaExt *ext)
{
	const struct metrics_row *row;
	const char *found = NULL;

	if ((type & PM_TEXT_PMID) != 0) {
		row = metrics_find((pmID)ident);
		if (row != NULL)
			found = row->help;
		else if (fields_number((pmID)ident) >= 0)
			found = field_help(fields_number((pmID)ident));
	} else {
		found = metrics_indom_help((int)pmInDom_serial((pmInDom)ident));
	}
	if (found == NULL)
		return PM_ERR_TEXT;
	*text = (char *)(uintptr_t)found;
	return 0;
}

/* ---- stores ---- */

static int store_value(const struct metrics_row *row, const pmValueSet *vset, const pmValue *value,
		       int context)
{
	void *thing = NULL;
	pmAtomValue atom;
	int r;

	if (row->serial != METRICS_NO_INDOM) {
		thing = instances_find(row->serial, (unsigned int)value->inst);
		if (thing == NULL)
			return PM_ERR_INST;
	}
	r = pmExtractValue(vset->valfmt, value, row->type, &atom, row->type);
	if (r < 0)
		return r == PM_ERR_CONV ? PM_ERR_BADSTORE : r;
	r = row->store(thing, context, &atom);
	if (row->type == PM_TYPE_STRING)
		free(atom.cp);
	return r;
}

/* A store to all instances means those that still exist: a stream that has ended is an error only
 * if it is alone. */
static int store_set(const pmValueSet *vset, int context)
{
	const struct metrics_row *row = metrics_find(vset->pmid);
	bool done = false;
	int r = 0, ended = 0;

	if (row == NULL)
		return fields_number(vset->pmid) >= 0 ? PM_ERR_PERMISSION : PM_ERR_PMID;
	if (row->store == NULL)
		return PM_ERR_PERMISSION;
	for (int i = 0; r >= 0 && i < vset->numval; i++) {
		r = store_value(row, vset, &vset->vlist[i], context);
		done = done || r >= 0;
		if (r == -ESRCH) {
			ended = r;
			r = 0;
		}
	}
	return r < 0 || done ? r : ended;
}

static int tracing_store(pmResult *result, pmdaExt *ext)
{
	int r = 0;

	tracing_begin(ext);
	for (int i = 0; r >= 0 && i < result->numpmid; i++)
		r = store_set(result->vset[i], ext->e_context);
	end();
	return r < 0 ? r : 0;
}

/* ---- clients ---- */

static int tracing_attribute(int context, int attr, const char *value, int length, pmdaExt *ext)
{
	return attr == PMDA_ATTR_USERID ? users_set(context, length > 0 ? value : NULL) : 0;
}

static void tracing_end_context(int context)
{
	collector_lock();
	queues_end_client(context);
	users_end(context);
	collector_unlock();
}

/* ---- set-up ---- */

static int make_metrics(int domain)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < metrics_nrows; i++) {
		const struct metrics_row *row = &metrics_rows[i];

		r = add_metric(pmID_build((unsigned int)domain, row->cluster, row->item), row->type,
			       row->serial == METRICS_NO_INDOM
				   ? PM_INDOM_NULL
				   : pmInDom_build((unsigned int)domain, (unsigned int)row->serial),
			       row->sem, row->units);
	}
	return r < 0 ? r : add_field_metrics(domain);
}

static void set_methods(pmdaInterface *dispatch)
{
	dispatch->version.any.fetch = tracing_fetch;
	dispatch->version.any.desc = tracing_desc;
	dispatch->version.any.instance = tracing_instance;
	dispatch->version.any.text = tracing_text;
	dispatch->version.any.store = tracing_store;
	dispatch->version.seven.pmid = tracing_pmid;
	dispatch->version.seven.name = tracing_name;
	dispatch->version.seven.children = tracing_children;
	dispatch->version.seven.attribute = tracing_attribute;
	dispatch->version.seven.label = tracing_label;
	pmdaSetFetchCallBack(dispatch, tracing_value);
	pmdaSetLabelCallBack(dispatch, labels_of_instance);
	pmdaSetEndContextCallBack(dispatch, tracing_end_context);
	pmdaSetCommFlags(dispatch, PMDA_FLAG_AUTHORIZE);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
}

void tracing_setup(pmdaInterface *dispatch, const char *path)
{
	char message[TRACING_TEXT];
	int r;

	if (dispatch->status != 0)
		return;
	r = settings_load(path, message, sizeof(message));
	if (r < 0) {
		pmNotifyErr(LOG_ERR, "%s", message);
		dispatch->status = r;
		return;
	}
	extension = dispatch->version.any.ext;
	records_set_domain(dispatch->domain);
	fields_load(dispatch->domain);
	instances_load(dispatch->domain);
	for (unsigned int i = 0; i < TRACING_INDOMS; i++)
		indoms[i].it_indom = i;
	r = make_metrics(dispatch->domain);
	if (r < 0) {
		dispatch->status = r;
		return;
	}
	set_methods(dispatch);
	pmdaInit(dispatch, indoms, TRACING_INDOMS, metrics, (int)nmetrics);
	make_tree(dispatch->domain);
}

void tracing_start(pmdaInterface *dispatch)
{
	int r;

	collector.patience_ms = PROCESS_MS;
	r = dispatch->status == 0 ? worker_start() : 0;

	if (r < 0)
		dispatch->status = r;
}

void tracing_end(void)
{
	worker_stop();
	instances_save();
	fields_save();
}

/* ---- the tracing agent in pmcd's process ---- */

void tracing_init(pmdaInterface *dispatch)
{
	const char *given = getenv("PITOT_TRACING_CONFIG");
	char path[MAXPATHLEN];

	pmdaDSO(dispatch, PMDA_INTERFACE_7, "tracing", NULL);
	snprintf(path, sizeof(path), "%s/tracing/tracing.conf", pmGetConfig("PCP_SYSCONF_DIR"));
	tracing_setup(dispatch, given != NULL ? given : path);
}
